import { inspect } from 'node:util';
import type { Message } from '@palimpsest/events';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LLM } from '../index.js';
import { anthropicServer } from '../testing/anthropic-server.js';
import type { AnthropicServerOptions } from '../testing/anthropic-server.js';
import { anthropicLLM } from './llm.js';

// The package `@anthropic-ai/sdk` itself talks over HTTP to a server that refuses what the provider refuses. Nothing of it
// is mocked.

const apiKey = 'sk-ant-test-0123456789abcdef';
const model = 'claude-opus-5-5';
const tools = [{ name: 'files.read', description: 'Reads a file.', inputSchema: { type: 'object' } }];
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const hello = () => ({ content: [{ type: 'text', text: 'Hello.' }] });

async function start(options: AnthropicServerOptions) {
  const server = await anthropicServer(options);
  onTestFinished(() => server.close());
  return server;
}

const thrownBy = (llm: LLM, messages: readonly Message[] = [user('Go.')]) =>
  llm.complete({ messages }).then(
    () => expect.unreachable('the call should have been refused'),
    (thrown: unknown) => thrown,
  );

describe('anthropicLLM', () => {
  it('makes a round trip with thinking and two calls of one batch', async () => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'sig' };
    const server = await start({
      apiKey,
      reply: ({ tools: sent }, index) => {
        const name = (sent as { name: string }[])[0]?.name;
        const call = (id: string, path: string) => ({ type: 'tool_use', id, name, input: { path } });
        return index === 0 ? { content: [thinking, call('toolu_1', 'a.txt'), call('toolu_2', 'b.txt')] } : hello();
      },
    });
    const llm = anthropicLLM({ model, apiKey, baseURL: server.url });
    const first = await llm.complete({ messages: [user('What is in them?')], tools });
    expect(first).toMatchObject({ responseId: 'msg_1', finishReason: 'tool-calls', model });
    expect(first.message.toolCalls).toEqual([
      { id: 'toolu_1', name: 'files.read', arguments: '{"path":"a.txt"}' },
      { id: 'toolu_2', name: 'files.read', arguments: '{"path":"b.txt"}' },
    ]);

    const result = (toolCallId: string): Message => ({ role: 'tool', toolCallId, toolName: 'files.read', content: [] });
    const second = await llm.complete({
      messages: [user('What is in them?'), first.message, result('toolu_2'), result('toolu_1')],
      tools,
      maxOutputTokens: 64_000,
    });
    expect(second).toMatchObject({ finishReason: 'stop', message: { content: [{ text: 'Hello.' }] } });

    const [one, two] = server.requests.map(({ body }) => (body as { messages: { content: unknown[] }[] }).messages);
    expect(two?.slice(0, one?.length)).toEqual(one);
    expect(two?.[1]?.content[0]).toEqual(thinking);
    expect(two?.[2]?.content).toHaveLength(2);
  });

  it('says that the history does not fit', async () => {
    const server = await start({ contextWindow: 100, reply: hello });
    const error = await thrownBy(anthropicLLM({ model, apiKey, baseURL: server.url }), [user('x'.repeat(1_000))]);
    expect(error).toMatchObject({
      code: 'context-window-exceeded',
      kind: 'input',
      contextWindow: 100,
      statusCode: 400,
    });
  });

  it('says that the key is wrong, and never shows it', async () => {
    const server = await start({ apiKey: 'another key', reply: hello });
    const error = await thrownBy(anthropicLLM({ model, apiKey, baseURL: server.url }));
    expect(error).toMatchObject({
      code: 'authentication',
      isRetryable: false,
      statusCode: 401,
      requestId: 'req_refused',
    });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(apiKey);
  });

  it('never shows a key that a server quotes', async () => {
    const quoting = { status: 401, type: 'authentication_error', message: `no such key: ${apiKey}` };
    const server = await start({ reply: () => ({ error: quoting }) });
    const error = await thrownBy(anthropicLLM({ model, apiKey, baseURL: server.url }));
    expect((error as Error).message).toContain('no such key: [secret]');
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(apiKey);
  });

  it('refuses a key that no header can carry, without showing it', async () => {
    const server = await start({ reply: hello });
    const error = await thrownBy(anthropicLLM({ model, apiKey: 'sk-ant-0123456789\n', baseURL: server.url }));
    expect(error).toMatchObject({ code: 'authentication' });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('sk-ant-');
    expect(server.requests).toEqual([]);
  });

  it('says that the history is malformed, in the words of the provider', async () => {
    const server = await start({ reply: hello });
    const call: Message = { role: 'assistant', content: [], toolCalls: [{ id: 'a', name: 'run', arguments: '{}' }] };
    const error = await thrownBy(anthropicLLM({ model, apiKey, baseURL: server.url }), [
      user('Go.'),
      call,
      user('Well?'),
    ]);
    expect(error).toMatchObject({ code: 'malformed-history' });
    expect((error as Error).message).toContain('messages.1: `tool_use` ids were found without `tool_result` blocks');
  });

  it('keeps what the provider says of waiting', async () => {
    const headers = { 'retry-after': '7', 'x-should-retry': 'false' };
    const overloaded = { status: 529, type: 'overloaded_error', message: 'Overloaded', headers };
    const server = await start({ reply: () => ({ error: overloaded }) });
    const error = await thrownBy(anthropicLLM({ model, apiKey, baseURL: server.url }));
    expect(error).toMatchObject({ code: 'service-unavailable', isRetryable: true, retryAfterMs: 7_000 });
  });

  it('rejects with the reason of the signal, before the call and during it', async () => {
    const aborter = new AbortController();
    const reason = new Error('enough');
    const server = await start({
      reply: () => {
        aborter.abort(reason);
        return hello();
      },
    });
    const llm = anthropicLLM({ model, apiKey, baseURL: server.url });
    await expect(llm.complete({ messages: [user('Go.')], signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(llm.complete({ messages: [user('Go.')], signal: aborter.signal })).rejects.toBe(reason);
  });
});
