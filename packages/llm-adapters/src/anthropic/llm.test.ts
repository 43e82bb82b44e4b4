import { inspect } from 'node:util';
import type { Message, ToolMessage } from '@palimpsest/events';
import { anthropicServer } from '@palimpsest/provider-servers';
import type { AnthropicServerOptions } from '@palimpsest/provider-servers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CompletionRequest, Delta, LLM } from '../index.js';
import { anthropicLLM } from './llm.js';
import type { AnthropicLLMOptions } from './llm.js';

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
    const llm = anthropicLLM({ model, apiKey, baseURL: server.baseURL });
    const first = await llm.complete({ messages: [user('What is in them?')], tools });
    expect(first).toMatchObject({ providerResponseId: 'msg_1', finishReason: 'tool-calls', model });
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
    // The signature is the server's, and is checked there.
    expect(two?.[1]?.content[0]).toEqual(first.message.thinkingBlocks?.[0]);
    expect(two?.[2]?.content).toHaveLength(2);
  });

  it('says that the key is wrong, and never shows it', async () => {
    const server = await start({ apiKey: 'another key', reply: hello });
    const error = await thrownBy(anthropicLLM({ model, apiKey, baseURL: server.baseURL }));
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
    const error = await thrownBy(anthropicLLM({ model, apiKey, baseURL: server.baseURL }));
    expect((error as Error).message).toContain('no such key: [secret]');
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(apiKey);
  });

  it('refuses a key that no header can carry, without showing it', async () => {
    const server = await start({ reply: hello });
    const error = await thrownBy(anthropicLLM({ model, apiKey: 'sk-ant-0123456789\n', baseURL: server.baseURL }));
    expect(error).toMatchObject({ code: 'authentication' });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('sk-ant-');
    expect(server.requests).toEqual([]);
  });

  it('says that the history is malformed, in the words of the provider', async () => {
    const server = await start({ reply: hello });
    const call: Message = { role: 'assistant', content: [], toolCalls: [{ id: 'a', name: 'run', arguments: '{}' }] };
    const error = await thrownBy(anthropicLLM({ model, apiKey, baseURL: server.baseURL }), [
      user('Go.'),
      call,
      user('Well?'),
    ]);
    expect(error).toMatchObject({ code: 'malformed-history' });
    expect((error as Error).message).toContain('messages.1: `tool_use` ids were found without `tool_result` blocks');
  });
});

describe('a conversation with a model that binds its thinking', () => {
  const always = 'claude-fable-5-2';
  const thought = { type: 'thinking', thinking: 'Hm.' };
  const says = (words: string) => ({ content: [thought, { type: 'text', text: words }] });
  const wires = tools.map(({ inputSchema }) => ({ type: 'tool_use', id: 'toolu_1', name: '', input: inputSchema }));
  const result: ToolMessage = { role: 'tool', toolCallId: 'toolu_1', toolName: 'files.read', content: [] };

  /** Asks once for each request; each sees all answers before it. */
  async function talk(
    options: Partial<AnthropicLLMOptions>,
    reply: AnthropicServerOptions['reply'],
    ...requests: ((answers: readonly Message[]) => CompletionRequest)[]
  ) {
    const server = await start({ reply });
    const llm = anthropicLLM({ model: always, apiKey, baseURL: server.baseURL, ...options });
    const answers: Message[] = [];
    for (const request of requests) answers.push((await llm.complete(request(answers))).message);
    return { server, answers };
  }
  const withResults = (answers: readonly Message[]) =>
    answers.flatMap((answer): Message[] => [
      answer,
      ...(answer.role === 'assistant' ? (answer.toolCalls ?? []) : []).map(({ id }) => ({ ...result, toolCallId: id })),
    ]);
  const callOr =
    (words: string): AnthropicServerOptions['reply'] =>
    ({ tools: sent }, index) => {
      const name = (sent as { name: string }[] | undefined)?.[0]?.name;
      return index === 0 ? { content: [thought, ...wires.map((call) => ({ ...call, name }))] } : says(words);
    };

  it('asks for a call that it cannot force, and keeps no thinking that is bound to having been asked', async () => {
    const { server, answers } = await talk(
      {},
      callOr('Read.'),
      () => ({ messages: [user('Read it.')], tools, toolChoice: { tool: 'files.read' } }),
      (before) => ({ messages: [user('Read it.'), ...before, result], tools }),
      (before) => ({
        messages: [user('Read it.'), before[0] as Message, result, before[1] as Message, user('And?')],
        tools,
      }),
    );
    expect(answers[0]).toMatchObject({ toolCalls: [{ name: 'files.read' }] });
    expect(answers[0]).not.toHaveProperty('thinkingBlocks');
    expect(answers[1]).toHaveProperty('thinkingBlocks');
    expect(server.requests).toHaveLength(3);
  });

  it('thinks again after a request that forced a call', async () => {
    const { server, answers } = await talk(
      { model: 'claude-sonnet-5-5' },
      ({ tools: sent, thinking }, index) => {
        const { name } = (sent as { name: string }[])[0] ?? {};
        const call = { type: 'tool_use', id: `toolu_${index}`, name, input: {} };
        const thinks = (thinking as { type: string }).type !== 'disabled';
        return { content: [...(thinks ? [{ ...thought, thinking: `Step ${index}.` }] : []), call] };
      },
      () => ({ messages: [user('Go.')], tools }),
      (before) => ({ messages: [user('Go.'), ...withResults(before)], tools, toolChoice: 'required' }),
      (before) => ({ messages: [user('Go.'), ...withResults(before)], tools }),
      (before) => ({ messages: [user('Go.'), ...withResults(before)], tools }),
    );
    expect(answers.map((answer) => 'thinkingBlocks' in answer)).toEqual([true, false, true, true]);
    expect(server.requests).toHaveLength(4);
  });
});

describe('an answer that is held to a schema', () => {
  const schema = {
    type: 'object',
    properties: { sum: { type: 'number' } },
    required: ['sum'],
    additionalProperties: false,
  };
  const responseFormat = { name: 'answer', schema };
  const messages = [user('What is 1 + 1?')];
  const inputOf =
    (input: object): AnthropicServerOptions['reply'] =>
    ({ tools: sent }) => ({
      content: [{ type: 'tool_use', id: 'toolu_1', name: (sent as { name: string }[]).at(-1)?.name, input }],
    });

  it('is held to it by the provider', async () => {
    const server = await start({ reply: () => ({ content: [{ type: 'text', text: '{"sum":2}' }] }) });
    const { message } = await anthropicLLM({ model, apiKey, baseURL: server.baseURL }).complete({
      messages,
      responseFormat,
    });
    expect(message.content).toEqual([{ type: 'text', text: '{"sum":2}' }]);
    expect(server.requests[0]?.body).toMatchObject({ output_config: { format: { type: 'json_schema', schema } } });
    expect(server.requests[0]?.body).not.toHaveProperty('tools');
  });

  it.each([
    ['an old model', { model: 'claude-3-5-haiku-20241022' }, {}],
    ['a schema that is not to be enforced', { model: 'claude-opus-4-8' }, { strict: false }],
    ['the option', { model: 'claude-opus-4-8', structuredOutput: 'tool' as const }, {}],
  ])('is the input of a tool that must be called: %s', async (_what, options, fields) => {
    const server = await start({ reply: inputOf({ sum: 2 }) });
    const llm = anthropicLLM({ apiKey, baseURL: server.baseURL, ...options });
    let heard = '';
    const onDelta = (delta: Delta) => (heard += delta.type === 'text' ? delta.text : '');
    const request = { messages, responseFormat: { ...responseFormat, ...fields } };
    const whole = await llm.complete(request);
    const streamed = await llm.complete({ ...request, onDelta });
    for (const { message, finishReason } of [whole, streamed]) {
      expect(message).toEqual({ role: 'assistant', content: [{ type: 'text', text: '{"sum":2}' }] });
      expect(finishReason).toBe('stop');
    }
    expect(heard).toBe('{"sum":2}');
    expect(server.requests[0]?.body).toMatchObject({
      tools: [{ name: 'answer', input_schema: schema }],
      tool_choice: { type: 'tool', name: 'answer' },
    });
  });

  it('is asked for where other tools may be called first, or where no call can be forced', async () => {
    const server = await start({ reply: inputOf({ sum: 2 }) });
    const llm = anthropicLLM({ model: 'claude-opus-4-8', apiKey, baseURL: server.baseURL, structuredOutput: 'tool' });
    const { message } = await llm.complete({
      messages,
      tools,
      responseFormat: { ...responseFormat, name: 'files.read' },
    });
    expect(message.content).toEqual([{ type: 'text', text: '{"sum":2}' }]);
    expect(server.requests[0]?.body).not.toHaveProperty('tool_choice');
    expect(JSON.stringify(server.requests[0]?.body)).toContain('give it by calling the tool `files_read_2_');

    const always = anthropicLLM({
      model: 'claude-fable-5-2',
      apiKey,
      baseURL: server.baseURL,
      structuredOutput: 'tool',
    });
    await always.complete({ messages, responseFormat });
    expect(server.requests[1]?.body).toMatchObject({ tool_choice: { type: 'auto' } });
    expect(JSON.stringify(server.requests[1]?.body)).toContain('(Call the tool `answer` now.)');
  });

  it('may be no object', async () => {
    const server = await start({ reply: inputOf({ answer: [1, 2] }) });
    const llm = anthropicLLM({ model: 'claude-opus-4-8', apiKey, baseURL: server.baseURL });
    const list = { name: 'numbers', schema: { type: 'array', items: { type: 'number' } }, strict: false };
    const { message } = await llm.complete({ messages, responseFormat: list });
    expect(message.content).toEqual([{ type: 'text', text: '[1,2]' }]);
  });
});

describe('countTokens', () => {
  it('asks the provider, for what would be sent', async () => {
    const server = await start({ reply: hello });
    const llm = anthropicLLM({ model: 'claude-opus-4-5', apiKey, baseURL: server.baseURL, thinking: 'on' });
    const request = { messages: [user('Go.')], tools, cache: {} };
    const count = await llm.countTokens?.(request);
    const { usage } = await llm.complete(request);
    expect(count).toBe(usage.uncachedInputTokens);
    expect(server.requests[0]).toMatchObject({
      path: '/v1/messages/count_tokens',
      body: { thinking: { type: 'enabled' } },
    });
    expect(server.requests[0]?.body).not.toHaveProperty('max_tokens');
  });

  it('fails where the provider would refuse, and is never 0', async () => {
    const server = await start({ reply: hello, apiKey: 'another key' });
    const llm = anthropicLLM({ model, apiKey, baseURL: server.baseURL });
    await expect(llm.countTokens?.({ messages: [user('Go.')] })).rejects.toMatchObject({ code: 'authentication' });
  });
});
