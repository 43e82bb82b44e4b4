import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anthropicServer } from './server.js';
import type { AnthropicServerOptions } from './server.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';
import { post, postStreamed } from '../../../test-support/anthropic-client.js';

// A.9: raw requests; and the package `@anthropic-ai/sdk` reads what is streamed.

const citation = {
  type: 'char_location',
  cited_text: 'ship',
  document_index: 0,
  start_char_index: 0,
  end_char_index: 4,
};
const content: readonly JsonObject[] = [
  { type: 'thinking', thinking: 'A thought that is longer than one piece of a stream.' },
  { type: 'redacted_thinking' },
  { type: 'thinking', thinking: '' },
  { type: 'text', text: 'Words with a smile 😀 that fall into more than one piece.', citations: [citation] },
  { type: 'tool_use', id: 'call_1', name: 'look', input: { place: 'the bow', how: { often: [1, 2, 3] } } },
  { type: 'tool_use', id: 'call_2', name: 'look', input: {} },
];
const request = {
  model: 'claude-opus-5-5',
  max_tokens: 1_000,
  tools: [{ name: 'look', input_schema: { type: 'object' as const } }],
  messages: [{ role: 'user' as const, content: 'Look.' }],
};

async function start(options: Partial<AnthropicServerOptions> = {}) {
  const server = await anthropicServer({ reply: () => ({ content }), ...options });
  onTestFinished(() => server.close());
  return server;
}

async function streamed() {
  const { events } = await postStreamed(await start(), request);
  return events.map(({ data }) => data as JsonObject & { readonly type: string });
}

describe('a stream', () => {
  it('names each event as its data does, and has them in the order of the protocol', async () => {
    const { events } = await postStreamed(await start(), request);
    expect(events.map(({ event }) => event)).toEqual(events.map(({ data }) => (data as JsonObject).type));
    const order = events.map(({ event }) => event).filter((event) => event !== 'ping');
    const deltas = (count: number) => Array.from({ length: count }, () => 'content_block_delta');
    const block = (count: number) => ['content_block_start', ...deltas(count), 'content_block_stop'];
    expect(order).toEqual([
      'message_start',
      ...[...block(4), ...block(0), ...block(1), ...block(4), ...block(4), ...block(1)],
      'message_delta',
      'message_stop',
    ]);
    expect(events.filter(({ event }) => event === 'ping').length).toBeGreaterThan(1);
  });

  it('starts with no content and the usage of the input, and ends with all of it', async () => {
    const events = await streamed();
    const whole = (await post(await start(), request)).body as { usage: JsonObject };
    const first = events[0]?.message as { usage: JsonObject };
    expect(first).toMatchObject({ id: 'msg_1', content: [], stop_reason: null, usage: { output_tokens: 1 } });
    expect(first.usage.input_tokens).toBe(whole.usage.input_tokens);
    const last = events.find(({ type }) => type === 'message_delta');
    expect(last).toMatchObject({ delta: { stop_reason: 'tool_use', stop_sequence: null } });
    expect(last?.usage).toMatchObject({
      input_tokens: whole.usage.input_tokens,
      output_tokens: whole.usage.output_tokens,
      cache_read_input_tokens: 0,
    });
  });

  it('shows redacted thinking whole in its start, and the others empty', async () => {
    const starts = (await streamed()).filter(({ type }) => type === 'content_block_start');
    expect(starts.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    const blocks = starts.map((event) => event.content_block as JsonObject);
    expect(blocks[0]).toEqual({ type: 'thinking', thinking: '', signature: '' });
    expect(blocks[1]?.data).toMatch(/^\w+/);
    expect(blocks[3]).toEqual({ type: 'text', text: '' });
    expect(blocks[4]).toEqual({ type: 'tool_use', id: 'call_1', name: 'look', input: {} });
  });

  it('ends thinking with one signature, and begins an input with an empty piece', async () => {
    const deltas = (await streamed()).filter(({ type }) => type === 'content_block_delta');
    const of = (index: number) =>
      deltas.filter((event) => event.index === index).map(({ delta }) => delta as JsonObject);
    expect(of(0).map(({ type }) => type)).toEqual([
      ...['thinking_delta', 'thinking_delta', 'thinking_delta'],
      'signature_delta',
    ]);
    expect(of(2)).toMatchObject([{ type: 'signature_delta' }]);
    expect(of(3).at(-1)).toEqual({ type: 'citations_delta', citation });
    expect(of(4)[0]).toEqual({ type: 'input_json_delta', partial_json: '' });
    expect(
      JSON.parse(
        of(4)
          .map((delta) => delta.partial_json)
          .join(''),
      ),
    ).toEqual(content[4]?.input);
    expect(of(5)).toEqual([{ type: 'input_json_delta', partial_json: '' }]);
    expect(
      of(3)
        .map((delta) => (typeof delta.text === 'string' ? delta.text : ''))
        .join(''),
    ).toBe(content[3]?.text);
  });

  it('is read by the SDK as the same message that is sent whole', async () => {
    const client = async () => new Anthropic({ apiKey: 'key', baseURL: (await start()).baseURL, maxRetries: 0 });
    const whole = await (await client()).messages.create(request);
    const final = await (await client()).messages.stream(request).finalMessage();
    expect(final.content).toEqual(whole.content);
    expect(final).toMatchObject({ id: whole.id, stop_reason: 'tool_use', usage: whole.usage });
  });

  it('can fail in the middle', async () => {
    const server = await start({ faults: [{ fault: 'stream-error', afterEvents: 4 }] });
    const { status, events, isComplete } = await postStreamed(server, request);
    expect({ status, isComplete }).toEqual({ status: 200, isComplete: true });
    expect(events).toHaveLength(5);
    expect(events.at(-1)).toEqual({
      event: 'error',
      data: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    });
  });

  it('can be cut, by the author of the answer too', async () => {
    const server = await start({ reply: () => ({ content, delivery: { fault: 'cut', afterEvents: 3 } }) });
    expect(await postStreamed(server, request)).toMatchObject({ isComplete: false, events: { length: 3 } });
  });
});
