import { serve } from '@palimpsest/provider-servers';
import type { ServerResponse } from '@palimpsest/provider-servers';
import { expect, it, onTestFinished } from 'vitest';
import { anthropicLLM } from '../anthropic/index.js';
import type { Message } from '@palimpsest/events';
import { openaiLLM } from '../openai/index.js';

const messages: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }];
const adapters = [
  ['anthropic', (baseURL: string) => anthropicLLM({ model: 'claude-opus-5-5', apiKey: 'sk-secret-key', baseURL })],
  ['openai', (baseURL: string) => openaiLLM({ model: 'gpt-4o', apiKey: 'sk-secret-key', baseURL })],
] as const;
const toward = (location: string, status = 307): ServerResponse => ({ status, headers: { location }, body: {} });

async function start(handle: (count: number) => ServerResponse) {
  let count = 0;
  const server = await serve({ basePath: '', handle: () => handle(++count) });
  onTestFinished(() => server.close());
  return server;
}

it.each(adapters)('%s: a loop of redirects ends after three, and is not tried again', async (_name, llmAt) => {
  const server = await start(() => toward('/again'));
  const error: unknown = await llmAt(server.url)
    .complete({ messages })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'invalid-request', isRetryable: false });
  expect((error as Error).message).toContain('after 3 other redirects');
  expect(server.requests).toHaveLength(4);
});

it.each(adapters)('%s: neither key nor conversation goes to another server', async (_name, llmAt) => {
  const other = await start(() => ({ status: 500, body: {} }));
  const server = await start(() => toward(`${other.url}/v1?key=hidden`));
  const error: unknown = await llmAt(server.url)
    .complete({ messages })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'invalid-request', isRetryable: false });
  expect((error as Error).message).toContain(`redirects to ${other.url}/v1, which is another server`);
  expect([other.requests.length, server.requests.length]).toEqual([0, 1]);
});

it('follows a redirect of its own server with the same request', async () => {
  const message = { role: 'assistant', content: 'Hello.' };
  const answer = { id: 'a', model: 'gpt-4o', choices: [{ index: 0, message, finish_reason: 'stop' }] };
  const server = await start((count) =>
    count === 1 ? toward('/v2/chat/completions', 301) : { status: 200, body: answer },
  );
  const completion = await adapters[1][1](server.url).complete({ messages });
  expect(completion.message.content).toEqual([{ type: 'text', text: 'Hello.' }]);
  const [first, second] = server.requests;
  expect(second).toMatchObject({ method: 'POST', path: '/v2/chat/completions', body: first?.body });
});
