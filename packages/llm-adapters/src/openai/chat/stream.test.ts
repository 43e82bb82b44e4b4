import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { Delta } from '../../llm.js';
import { ErrorInAnswer } from '../error-body.js';
import { fromChatCompletion } from './response.js';
import { responseOfStream } from './stream.js';

// What OpenAI itself streams is tested over HTTP with the package. Here are the streams of servers that do otherwise.

type Chunk = OpenAI.Chat.ChatCompletionChunk;

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'qwen3' };
const chunk = (delta: object | undefined, finish_reason: string | null = null, fields: object = {}) => ({
  ...head,
  choices: [{ index: 0, delta, finish_reason }],
  ...fields,
});
const end = (reason = 'stop') => chunk({}, reason);
const piece = (fields: object) => chunk({ tool_calls: [fields] });

async function read(chunks: readonly unknown[]) {
  const deltas: Delta[] = [];
  let heard = 0;
  async function* stream() {
    for (const each of chunks) {
      if (each instanceof Error) throw each;
      yield each as Chunk;
    }
  }
  const response = await responseOfStream(
    stream(),
    (delta) => deltas.push(delta),
    (name) => name.toUpperCase(),
    () => heard++,
  );
  const request = { messages: [] };
  return {
    deltas,
    heard,
    response,
    completion: fromChatCompletion(response, { request, model: 'm', newId: () => 'new' }),
  };
}

const callsOf = async (...pieces: object[]) => {
  const { deltas, completion } = await read([...pieces.map(piece), end('tool_calls')]);
  return { deltas, calls: completion.message.toolCalls?.map(({ id, name, arguments: text }) => [id, name, text]) };
};

it('hears chunks that say nothing', async () => {
  const { deltas, heard } = await read([chunk({ role: 'assistant' }), chunk({}), { ...head, choices: [] }, end()]);
  expect({ deltas, heard }).toEqual({ deltas: [], heard: 4 });
});

describe('calls in a stream', () => {
  it('are told apart by their index, and named once', async () => {
    const { calls, deltas } = await callsOf(
      { index: 0, id: 'a', type: 'function', function: { name: 'ls', arguments: '' } },
      { index: 1, id: 'b', type: 'function', function: { name: 'cat', arguments: '{"x"' } },
      { index: 0, function: { arguments: '{}' } },
      { index: 1, function: { arguments: ':1}' } },
    );
    expect(calls).toEqual([
      ['a', 'ls', '{}'],
      ['b', 'cat', '{"x":1}'],
    ]);
    expect(deltas).toEqual([
      { type: 'tool-call', index: 0, id: 'a', name: 'LS', arguments: '' },
      { type: 'tool-call', index: 1, id: 'b', name: 'CAT', arguments: '{"x"' },
      { type: 'tool-call', index: 0, arguments: '{}' },
      { type: 'tool-call', index: 1, arguments: ':1}' },
    ]);
  });

  it.each([
    [
      'begin at any index',
      [
        { index: 3, id: 'a', function: { name: 'ls', arguments: '{' } },
        { index: 3, function: { arguments: '}' } },
      ],
    ],
    ['have no index', [{ id: 'a', function: { name: 'ls', arguments: '{' } }, { function: { arguments: '}' } }]],
    [
      'repeat their id in each piece',
      [
        { id: 'a', function: { name: 'ls', arguments: '{' } },
        { id: 'a', function: { arguments: '}' } },
      ],
    ],
    [
      'repeat their name too',
      [
        { index: 0, id: 'a', function: { name: 'ls', arguments: '{' } },
        { index: 0, id: 'a', function: { name: 'ls', arguments: '}' } },
      ],
    ],
    ['are parsed', [{ index: 0, id: 'a', function: { name: 'ls', arguments: {} } }]],
  ])('are put together when they %s', async (_, pieces) => {
    expect((await callsOf(...pieces)).calls).toEqual([['a', 'ls', '{}']]);
  });

  it('are two when two whole calls come without an index, or with the same', async () => {
    const first = { id: 'a', function: { name: 'ls', arguments: '{}' } };
    const second = { id: 'b', function: { name: 'ls', arguments: '{}' } };
    const two = [
      ['a', 'ls', '{}'],
      ['b', 'ls', '{}'],
    ];
    expect((await callsOf(first, second)).calls).toEqual(two);
    expect((await callsOf({ ...first, index: 0 }, { ...second, index: 0 })).calls).toEqual(two);
  });

  it('get an id where none came, and keep what only one provider sends', async () => {
    const signed = { extra_content: { google: { thought_signature: 'abc' } } };
    const { completion } = await read([piece({ function: { name: 'ls', arguments: '{}' }, ...signed }), end()]);
    expect(completion.finishReason).toBe('tool-calls');
    expect(completion.message).toEqual({
      role: 'assistant',
      content: [],
      toolCalls: [{ id: 'call_new', name: 'ls', arguments: '{}' }],
      thinkingBlocks: [{ type: 'thinking', thinking: '', signature: 'abc', position: 0 }],
    });
  });
});

describe('a stream', () => {
  it('hands out thinking by either name, words and refusals', async () => {
    const { deltas, completion } = await read([
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'H' }),
      chunk({ reasoning: 'm.' }),
      chunk({ content: 'No, ' }),
      chunk({ content: null, refusal: 'never.' }),
      end(),
    ]);
    expect(deltas).toEqual([
      { type: 'thinking', text: 'H' },
      { type: 'thinking', text: 'm.' },
      { type: 'text', text: 'No, ' },
      { type: 'text', text: 'never.' },
    ]);
    expect(completion).toMatchObject({
      message: { reasoningContent: 'Hm.', content: [{ text: 'No, ' }, { text: 'never.' }] },
      finishReason: 'content-filter',
    });
  });

  it('may come in parts, thinking among them', async () => {
    const { deltas, completion } = await read([
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
      chunk({ content: [{ type: 'text', text: 'Hel' }] }),
      chunk({ content: 'lo.' }),
      end(),
    ]);
    expect(deltas.map(({ type }) => type)).toEqual(['thinking', 'text', 'text']);
    expect(completion.message).toMatchObject({ reasoningContent: 'Hm.', content: [{ text: 'Hello.' }] });
  });

  it('may count at its end, in every chunk, or not at all', async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
    const counted = { uncachedInputTokens: 9, outputTokens: 3 };
    const words = chunk({ content: 'Hi.' });
    expect((await read([words, end(), { ...head, choices: [], usage }])).completion.usage).toMatchObject(counted);
    const inEach = [
      { ...words, usage: { ...usage, completion_tokens: 1 } },
      { ...end(), usage },
    ];
    expect((await read(inEach)).completion.usage).toMatchObject(counted);
    expect((await read([words, end()])).completion).toMatchObject({ usageIsEstimated: true });
  });

  it('that ends before the answer, or breaks off, is not an answer', async () => {
    const words = chunk({ content: 'Hi' });
    await expect(read([])).rejects.toMatchObject({ code: 'service-unavailable', isRetryable: true });
    await expect(read([words])).rejects.toMatchObject({ code: 'service-unavailable', isRetryable: true });
    await expect(read([words, new TypeError('terminated')])).rejects.toThrow('the stream broke off: terminated');
  });

  it.each([
    ['in an envelope', Object.assign(new Error('x'), { error: { message: 'Down.', code: 'server_error' } })],
    ['flat', { object: 'error', message: 'Down.', code: 'server_error' }],
    ['in a list', [{ error: { message: 'Down.', code: 'server_error' } }]],
  ])('may hold an error %s', async (_, error) => {
    await expect(read([chunk({ content: 'Hi' }), error])).rejects.toSatisfy(
      (thrown) => thrown instanceof ErrorInAnswer && thrown.error.code === 'server_error',
    );
  });
});
