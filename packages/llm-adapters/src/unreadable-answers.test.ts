import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { anthropicLLM } from './anthropic/index.js';
import { openaiLLM } from './openai/index.js';

const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }] as const;

/** A server that says so much of an answer, and ends it or breaks it off. */
async function serverOf(type: string, body: string, isCut: boolean) {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.writeHead(200, { 'content-type': type, ...(isCut ? { 'content-length': body.length + 100 } : {}) });
    response.write(body);
    if (isCut) setImmediate(() => response.destroy());
    else response.end();
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests: () => requests };
}

describe.each([
  [
    'anthropic',
    (baseURL: string) => anthropicLLM({ model: 'claude-opus-5-5', baseURL, apiKey: 'key', retry: { attempts: 2 } }),
  ],
  [
    'chat',
    (url: string) =>
      openaiLLM({ model: 'm', baseURL: `${url}/v1`, apiKey: 'key', api: 'chat-completions', retry: { attempts: 2 } }),
  ],
  [
    'responses',
    (url: string) =>
      openaiLLM({ model: 'm', baseURL: `${url}/v1`, apiKey: 'key', api: 'responses', retry: { attempts: 2 } }),
  ],
] as const)('%s: an answer that is not streamed', (_, create) => {
  test.each([
    ['is cut off', 'application/json', '{"id":"x","content":[', true],
    ['is broken JSON', 'application/json', '{"id":"x","content":[', false],
    ['is empty', 'application/json', '', false],
    ['is a page of a proxy', 'text/html', '<html>Please log in</html>', false],
  ])('%s: the service is called unavailable, and asked again', async (_name, type, body, isCut) => {
    const { url, requests } = await serverOf(type, body, isCut);
    await expect(create(url).complete({ messages })).rejects.toMatchObject({
      code: 'service-unavailable',
      isRetryable: true,
    });
    expect(requests()).toBe(2);
  });
});
