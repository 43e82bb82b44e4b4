import { inspect } from 'node:util';
import Anthropic from '@anthropic-ai/sdk';
import type { Message } from '@palimpsest/events';
import { anthropicMessageStream as messageStream, serve } from '@palimpsest/provider-servers';
import type { ServerSentEvent } from '@palimpsest/provider-servers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Completion, Delta } from '../index.js';
import { anthropicLLM } from './llm.js';
import { requestPlan } from './request.js';
import { streamMessage } from './stream.js';

// The package `@anthropic-ai/sdk` itself reads these streams over HTTP. What they hold is written by hand where no server sends it.

const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }];
const tools = [{ name: 'run', description: '', inputSchema: { type: 'object' } }];
const sse = (type: string, fields: object = {}): ServerSentEvent => ({ event: type, data: { type, ...fields } });
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-5-5',
  content: [
    { type: 'thinking', thinking: 'I look at both of the files that are there.', signature: 'sig' },
    { type: 'text', text: '\n\n' },
    { type: 'text', text: 'I look – ünïcode 🙂, and longer than one piece.' },
    { type: 'tool_use', id: 'toolu_1', name: 'run', input: { path: 'a', deep: [1, { x: null }] } },
    { type: 'redacted_thinking', data: 'xyz' },
    { type: 'tool_use', id: 'toolu_2', name: 'run', input: {} },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: {
    input_tokens: 7,
    cache_read_input_tokens: 5,
    cache_creation_input_tokens: 3,
    cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 2 },
    output_tokens: 90,
    output_tokens_details: { thinking_tokens: 40 },
  },
};

async function complete(answer: { readonly body: unknown } | { readonly events: readonly ServerSentEvent[] }) {
  const server = await serve({ basePath: '', handle: () => ({ status: 200, ...answer }) });
  onTestFinished(() => server.close());
  const deltas: Delta[] = [];
  const llm = anthropicLLM({
    model: 'claude-opus-5-5',
    apiKey: 'key',
    baseURL: server.baseURL,
    retry: { attempts: 1 },
    prices: { input: 4, cacheRead: 0.2, cacheWrite: 5, cacheWriteByTtl: { '1h': 8 }, output: 20 },
  });
  const listener = 'events' in answer ? { onDelta: (delta: Delta) => void deltas.push(delta) } : {};
  const completion = await llm.complete({ messages, tools, ...listener });
  return { completion, deltas };
}
it('hears the events of thinking that is not shown', async () => {
  const events = messageStream({ ...message, content: [{ type: 'thinking', thinking: '', signature: 'sig' }] });
  const server = await serve({ basePath: '', handle: () => ({ status: 200, events }) });
  onTestFinished(() => server.close());
  let heard = 0;
  const deltas: Delta[] = [];
  await streamMessage(
    new Anthropic({ apiKey: 'key', baseURL: server.baseURL, maxRetries: 0 }),
    { model: 'claude-opus-5-5', max_tokens: 1, messages: [{ role: 'user', content: 'Go.' }] },
    requestPlan({ messages }, { model: 'claude-opus-5-5' }),
    {
      signal: new AbortController().signal,
      timeoutMs: 60_000,
      onDelta: (delta) => deltas.push(delta),
      onActivity: () => heard++,
    },
  );
  expect(deltas).toEqual([]);
  // The start and the end of the message and of the block, the signature, and why the answer ended.
  expect(heard).toBeGreaterThanOrEqual(6);
});

const refusal = (events: readonly ServerSentEvent[]) =>
  complete({ events }).then(
    () => expect.unreachable('the stream should have failed'),
    (thrown: unknown) => thrown,
  );

const wanted: Completion = {
  message: {
    role: 'assistant',
    content: [{ type: 'text', text: 'I look – ünïcode 🙂, and longer than one piece.' }],
    toolCalls: [
      { id: 'toolu_1', name: 'run', arguments: '{"path":"a","deep":[1,{"x":null}]}' },
      { id: 'toolu_2', name: 'run', arguments: '{}' },
    ],
    thinkingBlocks: [
      { type: 'thinking', thinking: 'I look at both of the files that are there.', signature: 'sig' },
      { type: 'redacted-thinking', data: 'xyz', position: 2 },
    ],
  },
  providerResponseId: 'msg_1',
  usage: { uncachedInputTokens: 7, cacheReadTokens: 5, cacheWriteTokens: 3, outputTokens: 90, reasoningTokens: 40 },
  // The last input came without one byte of text.
  callStates: ['as-written', 'parsed'],
  finishReason: 'tool-calls',
  model: 'claude-opus-5-5',
  costUsd: expect.closeTo((7 * 4 + 5 * 0.2 + 1 * 5 + 2 * 8 + 90 * 20) / 1e6, 12) as number,
};

describe('a streamed answer', () => {
  it('is the same as a whole one, and its pieces are the message', async () => {
    // Without a stream there is no raw text. The first call is whole, because another block follows it.
    const plain = (await complete({ body: message })).completion;
    expect(plain).toEqual({ ...wanted, callStates: ['complete', 'parsed'] });
    const { completion, deltas } = await complete({ events: messageStream(message) });
    expect(completion).toEqual(wanted);
    const joined = (type: 'text' | 'thinking') =>
      deltas.flatMap((delta) => (delta.type === type ? [delta.text] : [])).join('');
    expect(joined('thinking')).toBe('I look at both of the files that are there.');
    // The blank block is no part of the message.
    expect(joined('text')).toBe('I look – ünïcode 🙂, and longer than one piece.');
    const calls = deltas.filter((delta) => delta.type === 'tool-call');
    expect(calls.filter(({ id }) => id !== undefined)).toMatchObject([
      { index: 0, id: 'toolu_1', name: 'run' },
      { index: 1, id: 'toolu_2', name: 'run' },
    ]);
    expect([0, 1].map((at) => calls.flatMap((call) => (call.index === at ? [call.arguments] : [])).join(''))).toEqual(
      wanted.message.toolCalls?.map((call) => call.arguments),
    );
  });

  it('passes over pings, and over events, blocks and deltas of a later version', async () => {
    const events = messageStream(message);
    const unknown = [
      sse('ping'),
      sse('weather_report', { sky: 'grey' }),
      sse('content_block_start', { index: 6, content_block: { type: 'hologram', text: 'x' } }),
      sse('content_block_delta', { index: 6, delta: { type: 'hologram_delta', text: 'y' } }),
      sse('content_block_stop', { index: 6 }),
    ];
    const { completion, deltas } = await complete({
      events: [...events.slice(0, -2), ...unknown, ...events.slice(-2)],
    });
    // A block follows the last call here.
    expect(completion).toEqual({ ...wanted, callStates: ['as-written', 'complete'] });
    expect(JSON.stringify(deltas)).not.toContain('"x"');
  });

  it('gives the input of a call that came whole', async () => {
    const input = { path: 'a' };
    const events = messageStream({ ...message, content: [] });
    const whole = [
      sse('content_block_start', { index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'run', input } }),
      sse('content_block_stop', { index: 0 }),
    ];
    const { completion, deltas } = await complete({ events: [...events.slice(0, 2), ...whole, ...events.slice(2)] });
    expect(completion.message.toolCalls).toEqual([{ id: 'toolu_1', name: 'run', arguments: '{"path":"a"}' }]);
    expect(deltas.map((delta) => (delta.type === 'tool-call' ? delta.arguments : ''))).toEqual(['', '{"path":"a"}']);
  });

  it.each([
    ['overloaded_error', 'service-unavailable', true],
    ['authentication_error', 'authentication', false],
    ['an_error_of_a_later_version', 'service-unavailable', true],
  ])('fails as %s says after its 200', async (type, code, isRetryable) => {
    const events = [...messageStream(message).slice(0, 5), sse('error', { error: { type, message: 'No.' } })];
    expect(await refusal(events)).toMatchObject({
      code,
      isRetryable,
      statusCode: 200,
      message: 'anthropic (200): No.',
    });
  });

  it('fails where it overflows after its 200', async () => {
    const error = { type: 'invalid_request_error', message: 'prompt is too long: 208310 tokens > 200000 maximum' };
    expect(await refusal([sse('error', { error })])).toMatchObject({
      code: 'context-window-exceeded',
      inputTokens: 208_310,
    });
  });

  it.each([
    ['before it began', 0],
    ['after its start', 1],
    ['within a block', 5],
    ['before its reason', -2],
    ['before its last event', -1],
  ])('fails when it ends %s', async (_when, end) => {
    const error = await refusal(messageStream(message).slice(0, end));
    expect(error).toMatchObject({ code: 'service-unavailable', isRetryable: true });
    expect((error as Error).message).toContain('the answer broke off while it was streamed');
  });

  it('fails when it is not in the form of the provider', async () => {
    const events = [...messageStream(message).slice(0, 3), { event: 'content_block_delta', data: '{"type":' }];
    expect(await refusal(events)).toMatchObject({ code: 'service-unavailable', isRetryable: true });
    const nothing = [...messageStream(message).slice(0, 3), { event: 'content_block_delta', data: 'null' }];
    expect(await refusal(nothing)).toMatchObject({ code: 'service-unavailable', isRetryable: true });
  });
});

describe('an answer that is an error with status 200', () => {
  it('is that error', async () => {
    const body = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    await expect(complete({ body })).rejects.toMatchObject({ code: 'service-unavailable', statusCode: 200 });
  });

  it('shows no key that it quotes', async () => {
    const body = { type: 'error', error: { type: 'authentication_error', message: 'no such key: sk-ant-0123456789' } };
    const server = await serve({ basePath: '', handle: () => ({ status: 200, body }) });
    onTestFinished(() => server.close());
    const llm = anthropicLLM({ model: 'claude-opus-5-5', apiKey: 'sk-ant-0123456789', baseURL: server.baseURL });
    const error: unknown = await llm.complete({ messages }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'authentication' });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('sk-ant-0123456789');
  });
});
