import { inspect } from 'node:util';
import type { Message } from '@palimpsest/events';
import { openaiServer } from '@palimpsest/provider-servers';
import type { OpenAIServerOptions } from '@palimpsest/provider-servers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Delta, LLM } from '../index.js';
import { LLMError } from '../index.js';
import { openaiLLM } from './llm.js';
import { serverProfile } from './server-profile.js';

// The package `openai` itself talks over HTTP to a server that refuses what the provider refuses. Nothing of it is mocked.

const apiKey = 'sk-test-0123456789abcdef';
const tools = [{ name: 'files.read', description: 'Reads a file.', inputSchema: { type: 'object' } }];
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });

async function start(options: OpenAIServerOptions) {
  const server = await openaiServer(options);
  onTestFinished(() => server.close());
  return server;
}

const thrownBy = (llm: LLM, messages: readonly Message[] = [user('Go.')]) =>
  llm.complete({ messages }).then(
    () => expect.unreachable('the call should have been refused'),
    (thrown: unknown) => thrown,
  );

describe('openaiLLM', () => {
  it('makes a round trip with a tool call', async () => {
    const server = await start({
      apiKey,
      reply: ({ tools: sent }, index) => {
        const name = (sent as { function: { name: string } }[])[0]?.function.name;
        const tool_calls = [{ id: 'call_1', type: 'function', function: { name, arguments: '{"path":"a.txt"}' } }];
        return { message: index === 0 ? { tool_calls } : { content: 'It says hello.' } };
      },
    });
    const prices = { input: 2, cacheRead: 0.1, cacheWrite: 2.5, output: 10 };
    const llm = openaiLLM({ model: 'gpt-4o', apiKey, baseURL: server.baseURL, contextWindow: 128_000, prices });
    expect(llm).toMatchObject({ model: 'gpt-4o', contextWindow: 128_000, prices });

    const first = await llm.complete({ messages: [user('What is in a.txt?')], tools });
    expect(first).toMatchObject({ providerResponseId: 'chatcmpl-1', finishReason: 'tool-calls' });
    expect(first.message.toolCalls).toEqual([{ id: 'call_1', name: 'files.read', arguments: '{"path":"a.txt"}' }]);
    expect(first.costUsd).toBeGreaterThan(0);

    const deltas: Delta[] = [];
    const second = await llm.complete({
      messages: [
        user('What is in a.txt?'),
        first.message,
        { role: 'tool', toolCallId: 'call_1', toolName: 'files.read', content: [{ type: 'text', text: 'hello' }] },
      ],
      tools,
      onDelta: (delta) => deltas.push(delta),
    });
    expect(second).toMatchObject({ finishReason: 'stop', message: { content: [{ text: 'It says hello.' }] } });
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.map((delta) => delta.type === 'text' && delta.text).join('')).toBe('It says hello.');

    const [one, two] = server.requests.map(({ body }) => (body as { messages: unknown[] }).messages);
    expect(two?.slice(0, one?.length)).toEqual(one);
  });

  it('needs no key on this machine', async () => {
    const server = await start({ reply: () => ({ message: { content: 'Hello.' } }) });
    const llm = openaiLLM({ model: 'qwen3', baseURL: server.baseURL });
    expect((await llm.complete({ messages: [user('Hi.')], maxOutputTokens: 5 })).finishReason).toBe('stop');
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 5 });
  });

  it('says that the key is wrong, and never shows it, whoever quotes it', async () => {
    const server = await start({ apiKey: 'another key', reply: () => ({ message: { content: 'Hello.' } }) });
    const error = await thrownBy(openaiLLM({ model: 'gpt-4o', apiKey, baseURL: server.baseURL }));
    expect(error).toMatchObject({
      code: 'authentication',
      isRetryable: false,
      statusCode: 401,
      requestId: 'req_refused',
    });
    expect((error as Error).message).toContain('[secret]');
    expect((error as Error).cause).toBeInstanceOf(Error);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(apiKey);
  });

  it.each(['sk-test-0123456789\n', 'sk-test-01234567é9'])(
    'refuses the key %j, which no header can carry, without showing it',
    async (key) => {
      const server = await start({ reply: () => ({ message: { content: 'Hello.' } }) });
      const error = await thrownBy(openaiLLM({ model: 'gpt-4o', apiKey: key, baseURL: server.baseURL }));
      expect(error).toMatchObject({ code: 'authentication' });
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('sk-test');
      expect(server.requests).toEqual([]);
    },
  );

  it('says that the history is malformed, in the words of the provider', async () => {
    const server = await start({ reply: () => ({ message: { content: 'Hello.' } }) });
    const call: Message = { role: 'assistant', content: [], toolCalls: [{ id: 'a', name: 'run', arguments: '{}' }] };
    const error = await thrownBy(openaiLLM({ model: 'gpt-4o', apiKey, baseURL: server.baseURL }), [
      user('Go.'),
      call,
      user('Well?'),
    ]);
    expect(error).toMatchObject({ code: 'malformed-history' });
    expect((error as Error).message).toContain('must be followed by tool messages');
  });

  it('asks for the usage of a stream, and estimates it where it is lost', async () => {
    const server = await start({ reply: () => ({ message: { content: 'Hello.' } }) });
    const options = { model: 'qwen3', apiKey, baseURL: server.baseURL };
    const request = { messages: [user('Go.')], onDelta: () => undefined };
    const counted = await openaiLLM(options).complete(request);
    expect(counted.usage.uncachedInputTokens).toBeGreaterThan(0);
    expect(counted).not.toHaveProperty('usageIsEstimated');
    const silent = openaiLLM({ ...options, server: { ...serverProfile('compatible'), asksForStreamUsage: false } });
    expect(await silent.complete(request)).toMatchObject({ usageIsEstimated: true });
    expect(server.requests.map(({ body }) => (body as { stream_options?: object }).stream_options)).toEqual([
      { include_usage: true },
      undefined,
    ]);
  });

  it('takes address and key from the environment, and says that a key is missing elsewhere', async () => {
    const server = await start({ apiKey, reply: () => ({ message: { content: 'Hello.' } }) });
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('OPENAI_BASE_URL', server.baseURL);
    vi.stubEnv('OPENAI_API_KEY', apiKey);
    await expect(openaiLLM({ model: 'qwen3' }).complete({ messages: [user('Go.')] })).resolves.toBeDefined();
    vi.stubEnv('OPENAI_API_KEY', '');
    const error = await thrownBy(openaiLLM({ model: 'qwen3', baseURL: 'https://192.0.2.1/v1' }));
    expect(error).toMatchObject({ code: 'authentication', isRetryable: false });
  });

  it('says what a server would have taken', async () => {
    const server = await start({ profile: 'strict-template', reply: () => ({ message: { content: 'Hello.' } }) });
    const error = await thrownBy(openaiLLM({ model: 'mistral-7b', baseURL: server.baseURL }), [
      { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
    ]);
    expect(error).toMatchObject({ code: 'malformed-history' });
    expect((error as Error).message).toContain("server: 'strict-template'");
  });

  it('takes thinking in parts', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo.' },
    ];
    const server = await start({ reply: () => ({ message: { content } }) });
    const llm = openaiLLM({ model: 'magistral', baseURL: server.baseURL });
    expect((await llm.complete({ messages: [user('Go.')] })).message).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello.' }],
      reasoningContent: 'Hm.',
    });
  });

  it('sends what is asked of the model', async () => {
    const server = await start({ reply: () => ({ message: { content: '{}' } }) });
    const llm = openaiLLM({
      model: 'gpt-5',
      apiKey,
      baseURL: server.baseURL,
      server: 'openai',
      effort: 'low',
      parallelToolCalls: false,
    });
    await llm.complete({ messages: [user('Go.')], tools, toolChoice: 'required' });
    await llm.complete({ messages: [user('Go.')] });
    expect(server.requests[0]?.body).toMatchObject({
      reasoning_effort: 'low',
      parallel_tool_calls: false,
      tool_choice: 'required',
    });
    expect(server.requests[1]?.body).not.toHaveProperty('parallel_tool_calls');
  });

  it('throws nothing but errors of its own family', async () => {
    const server = await start({ reply: () => ({ error: { status: 404, type: 'x', message: 'No such model.' } }) });
    const error = await thrownBy(openaiLLM({ model: 'none', apiKey, baseURL: server.baseURL }));
    expect(LLMError.isInstance(error)).toBe(true);
    const elsewhere = await thrownBy(openaiLLM({ model: 'gpt-4o', apiKey, baseURL: 'not a URL' }));
    expect(elsewhere).toMatchObject({ code: 'invalid-request' });
  });
});
