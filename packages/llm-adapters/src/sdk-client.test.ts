import type { Message } from '@palimpsest/events';
import { serve } from '@palimpsest/provider-servers';
import type { ServerResponse } from '@palimpsest/provider-servers';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { anthropicLLM } from './anthropic/index.js';
import { MissingSdkError } from './errors.js';
import { openaiLLM } from './openai/index.js';
import { lazySdk, plainAnswer } from './sdk-client.js';

const packageName = 'palimpsest-no-such-package';
const missing = () => import(/* @vite-ignore */ packageName) as Promise<unknown>;

describe('lazySdk', () => {
  it('names the package to install when it is missing', async () => {
    const load = lazySdk({ provider: 'test', packageName, load: missing });
    const error: unknown = await load().catch((thrown: unknown) => thrown);
    expect(MissingSdkError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ code: 'missing-sdk', packageName, provider: 'test', isRetryable: false });
    expect((error as Error).message).toContain(`npm install ${packageName}`);
    expect((error as Error).cause).toBeInstanceOf(Error);
  });

  it('loads once, and tries again after a failure', async () => {
    let loads = 0;
    const load = lazySdk({
      provider: 'test',
      packageName,
      load: async () => (++loads === 1 ? missing() : 'loaded'),
    });
    await expect(load()).rejects.toThrow(MissingSdkError);
    expect(await load()).toBe('loaded');
    expect(await load()).toBe('loaded');
    expect(loads).toBe(2);
  });

  it('is loaded by the function of the caller, and named when that finds none', async () => {
    const load = lazySdk({ provider: 'test', packageName, load: missing });
    expect(await load((name) => Promise.resolve(`imported ${name}`))).toBe(`imported ${packageName}`);
    await expect(load(missing)).rejects.toThrow(MissingSdkError);
  });
});

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
  const error: unknown = await llmAt(server.baseURL)
    .complete({ messages })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'invalid-request', isRetryable: false });
  expect((error as Error).message).toContain('after 3 other redirects');
  expect(server.requests).toHaveLength(4);
});

it.each(adapters)('%s: neither key nor conversation goes to another server', async (_name, llmAt) => {
  const other = await start(() => ({ status: 500, body: {} }));
  const server = await start(() => toward(`${other.url}/v1?key=hidden`));
  const error: unknown = await llmAt(server.baseURL)
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
  const completion = await adapters[1][1](server.baseURL).complete({ messages });
  expect(completion.message.content).toEqual([{ type: 'text', text: 'Hello.' }]);
  const [first, second] = server.requests;
  expect(second).toMatchObject({ method: 'POST', path: '/v2/chat/completions', body: first?.body });
});

const ofType = (type: string | undefined, body: string | null) =>
  new Response(body === null ? null : new TextEncoder().encode(body), {
    headers: type === undefined ? {} : { 'content-type': type },
  });

test.each([
  ['the right type', 'application/json; charset=utf-8', '{"a":1}'],
  ['the type of a stream', 'text/event-stream', '\ufeff {"a":1}'],
  ['another type', 'text/plain', '{"a":1}\n'],
  ['no type', undefined, '{"a":1}'],
])('reads JSON under %s', async (_, type, body) => {
  expect(await plainAnswer(ofType(type, body))).toEqual({ a: 1 });
});

test.each([
  ['the right type', 'text/event-stream', 'data: {"a":1}\n\n'],
  ['the type of JSON', 'application/json', ': ping\n\nevent: a\ndata: {}\n\n'],
  ['no type, and nothing in it', undefined, ''],
])('leaves a stream unread under %s', async (_, type, body) => {
  const response = ofType(type, body);
  expect(await plainAnswer(response)).toBeUndefined();
  expect(await response.text()).toBe(body);
});

test('takes no answer without a body for JSON, and a page for neither', async () => {
  expect(await plainAnswer(ofType('application/json', null))).toBeUndefined();
  await expect(plainAnswer(ofType('text/html', '<html>Log in</html>'))).rejects.toThrow(SyntaxError);
});
