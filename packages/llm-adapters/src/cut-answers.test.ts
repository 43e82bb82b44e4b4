import type { Message } from '@palimpsest/events';
import { anthropicServer, openaiServer, serve } from '@palimpsest/provider-servers';
import type { AnthropicReply, OpenAIReply, ProviderServer } from '@palimpsest/provider-servers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anthropicLLM } from './anthropic/index.js';
import { wholeCalls } from './index.js';
import type { Completion, Delta, LLM } from './index.js';
import { openaiLLM } from './openai/index.js';

// The packages of the vendors read what servers of this machine send: answers that were cut, refused, or sent in another form.

const messages: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }];
const tools = [{ name: 'run', description: '', inputSchema: { type: 'object' } }];
const retry = { attempts: 1 };
const model = 'claude-opus-5-5';
const anthropicAt = ({ baseURL }: ProviderServer) => anthropicLLM({ model, apiKey: 'key', baseURL, retry });
const chatAt = ({ baseURL }: ProviderServer) => openaiLLM({ model: 'gpt-4o', apiKey: 'key', baseURL, retry });
const responsesAt = ({ baseURL }: ProviderServer) =>
  openaiLLM({ model: 'gpt-6-sol', apiKey: 'key', baseURL, retry, api: 'responses' });

async function ask(server: Promise<ProviderServer>, llmAt: (server: ProviderServer) => LLM, listens = true) {
  const started = await server;
  onTestFinished(() => started.close());
  const deltas: Delta[] = [];
  const listener = listens ? { onDelta: (delta: Delta) => void deltas.push(delta) } : {};
  const completion = await llmAt(started).complete({ messages, tools, ...listener });
  const heard = (type: Delta['type']) =>
    deltas.map((delta) => (delta.type === type ? JSON.stringify(delta) : '')).join('');
  return { completion, deltas, heard, whole: wholeCalls(completion), texts: argumentsOf(completion) };
}

const argumentsOf = ({ message }: Completion) => message.toolCalls?.map((call) => call.arguments);
const half = '{"command":"touch X","timeout_seconds":3';
describe('Messages', () => {
  const reply = (answer: AnthropicReply, options: { readonly ignoresStream?: boolean } = {}) =>
    ask(anthropicServer({ reply: () => answer, ...options }), anthropicAt);
  const use = (input: unknown, id = 'a') => ({ type: 'tool_use', id, name: 'run', input });

  it('judge an input by its text, whether the provider closed the block or not', async () => {
    for (const lastBlock of ['open', 'closed'] as const) {
      const { whole, texts } = await reply({ content: [use(half)], stop_reason: 'max_tokens', lastBlock });
      expect([texts, whole]).toEqual([[half], [false]]);
    }
    const finished = await reply({ content: [use('{"a":1}')], stop_reason: 'max_tokens', lastBlock: 'open' });
    expect(finished.whole).toEqual([true]);
  });

  it('are cut by the limit of the request, within the input of a call', async () => {
    const server = anthropicServer({ reply: () => ({ content: [use({ table: 'users', where: { id: 7 } })] }) });
    const llmAt = ({ baseURL }: ProviderServer) =>
      anthropicLLM({ model, apiKey: 'key', baseURL, retry, maxOutputTokens: 10 });
    const { whole, completion } = await ask(server, llmAt);
    expect(completion.finishReason).toBe('length');
    expect(whole).toEqual([false]);
  });

  it('go on after an empty input only if it is whole', async () => {
    const text = { type: 'text', text: 'And' };
    const { whole, texts, completion } = await reply({ content: [use({}), text], stop_reason: 'max_tokens' });
    expect([whole, texts, completion.callStates]).toEqual([[true], ['{}'], ['complete']]);
  });

  it('wait for the same request again after pause_turn', async () => {
    const paused = await reply({ content: [{ type: 'text', text: 'I search.' }], stop_reason: 'pause_turn' });
    expect(paused.completion.finishReason).toBe('paused');
  });

  it('are read from plain JSON too, which holds no raw text', async () => {
    const options = { ignoresStream: true };
    const natural = await reply({ content: [use({ path: 'x' })] }, options);
    expect([natural.texts, natural.whole, natural.completion.callStates]).toEqual([
      ['{"path":"x"}'],
      [true],
      ['parsed'],
    ]);
    expect(natural.heard('tool-call')).toContain('path');
    const content = [use({ a: 1 }), use(half, 'b')];
    expect((await reply({ content, stop_reason: 'max_tokens' }, options)).whole).toEqual([true, false]);
  });
});

describe('OpenAI', () => {
  const parsed = (finish_reason: string): OpenAIReply => ({
    message: {
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'run', arguments: { path: 'x' } } },
        { id: 'b', type: 'function', function: { name: 'run', arguments: {} } },
      ],
    },
    finish_reason,
  });

  it.each([chatAt, responsesAt])('arguments that a server has parsed are no raw text', async (llmAt) => {
    for (const listens of [true, false]) {
      const cut = await ask(openaiServer({ reply: () => parsed('length') }), llmAt, listens);
      expect([cut.texts, cut.whole]).toEqual([
        ['{"path":"x"}', '{}'],
        [true, false],
      ]);
      const whole = await ask(openaiServer({ reply: () => parsed('tool_calls') }), llmAt, listens);
      expect([whole.texts, whole.whole]).toEqual([
        ['{"path":"x"}', '{}'],
        [true, true],
      ]);
    }
  });

  it('a plain JSON answer to a request for a stream is an answer, and is heard', async () => {
    const message = { content: 'I look.', tool_calls: [] };
    for (const llmAt of [chatAt, responsesAt]) {
      const plain = await ask(openaiServer({ reply: () => ({ message }), ignoresStream: true }), llmAt);
      expect(plain.completion.message.content).toEqual([{ type: 'text', text: 'I look.' }]);
      expect(plain.deltas).toEqual([{ type: 'text', text: 'I look.' }]);
    }
  });

  it('an item of Responses that is incomplete is never whole; one without a status is judged by its text', async () => {
    const item = (fields: object) => ({
      type: 'function_call',
      call_id: 'a',
      name: 'run',
      arguments: '{"a":1}',
      ...fields,
    });
    const custom = (fields: object) => ({
      type: 'custom_tool_call',
      call_id: 'c',
      name: 'run',
      input: 'rm x',
      ...fields,
    });
    const states: readonly (readonly [object, boolean])[] = [
      [item({ status: 'incomplete' }), false],
      [item({ status: 'completed' }), true],
      [item({ status: undefined }), true],
      [item({ status: undefined, arguments: '{"a":' }), false],
      [custom({ status: 'completed' }), true],
      [custom({ status: 'incomplete' }), false],
      [custom({ status: undefined }), false],
    ];
    for (const [output, isWhole] of states) {
      const reply = (): OpenAIReply => ({ output: [output as never], incomplete: 'max_output_tokens' });
      for (const listens of [true, false]) {
        const { whole } = await ask(openaiServer({ reply }), responsesAt, listens);
        expect(whole, JSON.stringify(output)).toEqual([isWhole]);
      }
    }
  });
});

it('a character is not split over two deltas, wherever the server splits it', async () => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    data: { id: 'c', model: 'm', created: 0, choices: [{ index: 0, delta, finish_reason }] },
  });
  const piece = (text: string) => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] });
  const events = [
    chunk({ content: 'a \ud83d' }),
    chunk({ content: '\ude42 b' }),
    chunk({ tool_calls: [{ index: 0, id: 'x', function: { name: 'run', arguments: '{"a":"\ud83d' } }] }),
    piece('\ude42"}'),
    chunk({}, 'tool_calls'),
    { data: '[DONE]' },
  ];
  // As escapes in the JSON of each event, as servers send them.
  const escaped = events.map(({ data }) => ({
    data: JSON.stringify(data).replaceAll(/[\ud800-\udfff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`),
  }));
  const { deltas, completion } = await ask(
    serve({
      basePath: '',
      handle: () => ({
        status: 200,
        events: escaped.map(({ data }) => ({ data: data === '"[DONE]"' ? '[DONE]' : data })),
      }),
    }),
    chatAt,
  );
  expect(completion.message).toMatchObject({ content: [{ text: 'a 🙂 b' }], toolCalls: [{ arguments: '{"a":"🙂"}' }] });
  expect(deltas.every((delta) => JSON.stringify(delta).isWellFormed() && !/\\ud8/.test(JSON.stringify(delta)))).toBe(
    true,
  );
  const joined = deltas.map((delta) =>
    delta.type === 'text' ? delta.text : delta.type === 'tool-call' ? delta.arguments : '',
  );
  expect(joined.join('')).toBe('a 🙂 b{"a":"🙂"}');
});
