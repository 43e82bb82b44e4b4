import { describe, expect, it, onTestFinished } from 'vitest';
import { anthropicServer } from './server.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';
import type { AnthropicAnswer } from './answer.js';
import { post, postStreamed } from '../../../test-support/anthropic-client.js';

const text = (words: string) => ({ type: 'text', text: words });
const thinking = { type: 'thinking', thinking: 'Hm.' };
const call = (id: string, fields: JsonObject = {}) => ({ type: 'tool_use', id, name: 'look', input: {}, ...fields });
const request = (fields: JsonObject = {}) => ({
  model: 'claude-opus-5-5',
  max_tokens: 1_000,
  tools: [{ name: 'look' }],
  messages: [
    { role: 'user', content: 'Look.' },
    { role: 'assistant', content: [call('used')] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'used' }] },
  ],
  ...fields,
});

async function answered(answer: AnthropicAnswer, fields: JsonObject = {}) {
  const server = await anthropicServer({ reply: () => answer });
  onTestFinished(() => server.close());
  return post(server, request(fields));
}

describe('an answer', () => {
  it.each<[string, AnthropicAnswer, JsonObject?]>([
    ['nothing', { content: [] }],
    ['thinking, words and calls', { content: [thinking, text('Hm.'), call('a'), call('b')] }],
    ['a call of a tool that nobody declared', { content: [call('a', { name: 'see' })] }],
    ['a reason', { content: [text('No.')], stop_reason: 'refusal' }],
    [
      'words to stop at',
      { content: [], stop_reason: 'stop_sequence', stop_sequence: 'END' },
      { stop_sequences: ['END'] },
    ],
    [
      'thinking that was asked for',
      { content: [thinking, text('Yes.')] },
      { model: 'claude-opus-4-8', thinking: { type: 'adaptive' } },
    ],
  ])('may be %s', async (_what, answer, fields) => {
    const { status, body } = await answered(answer, fields);
    expect(status).toBe(200);
    expect(body.content).toMatchObject(answer.content);
    expect(body.stop_sequence).toBe(answer.stop_sequence ?? null);
  });

  it.each<[string, AnthropicAnswer, JsonObject?]>([
    ['content.0 has no type', { content: [{}] }],
    ["content.0: only a user sends 'tool_result'", { content: [{ type: 'tool_result' }] }],
    ['content.0: text is never empty', { content: [text('')] }],
    ['content.0: thinking is text', { content: [{ type: 'thinking' }, text('Yes.')] }],
    ['the request has thinking turned off', { content: [thinking, text('Yes.')] }, { thinking: { type: 'disabled' } }],
    ['the request has thinking turned off', { content: [thinking, text('Yes.')] }, { model: 'claude-sonnet-4-5' }],
    ['the id of a call is letters', { content: [call('a.b')] }],
    ["the id 'used' was used before", { content: [call('used')] }],
    ["the id 'a' was used before", { content: [call('a'), call('a')] }],
    ['a call has a name', { content: [call('a', { name: undefined })] }],
    ['the input of a call is an object', { content: [call('a', { input: '[1]' })] }],
    ['the input of a call is an object', { content: [call('a', { input: '{"path":' })] }],
    [
      'content.0: the input of a call is an object',
      { content: [call('a', { input: '{"path":' }), call('b')], stop_reason: 'max_tokens' },
    ],
    ['the request has no tools, or forbids their use', { content: [call('a')] }, { tool_choice: { type: 'none' } }],
    [
      'the request has no tools, or forbids their use',
      { content: [call('a')] },
      { tools: undefined, messages: [{ role: 'user', content: 'Go.' }] },
    ],
    ['an answer never ends with thinking', { content: [text('Yes.'), thinking] }],
    ["there is no stop_reason 'done'", { content: [], stop_reason: 'done' }],
    ['stop_reason is tool_use and no block is a call', { content: [], stop_reason: 'tool_use' }],
    ['stop_reason is end_turn and a block is a call', { content: [call('a')], stop_reason: 'end_turn' }],
    ['stop_sequence is not one of the request', { content: [], stop_reason: 'stop_sequence', stop_sequence: 'END' }],
  ])('is never one of which the server says: %s', async (why, answer, fields) => {
    const { status, headers, refusal } = await answered(answer, fields);
    expect(status).toBe(500);
    expect(headers.get('x-should-retry')).toBe('false');
    expect(refusal).toContain('Anthropic could not send reply 0 of the test');
    expect(refusal).toContain(why);
  });

  it('is cut where max_tokens ends it', async () => {
    const long = [thinking, text('x'.repeat(100)), call('a')];
    const { body } = await answered({ content: long }, { max_tokens: 11 });
    expect(body).toMatchObject({
      content: [thinking, text('x'.repeat(40))],
      stop_reason: 'max_tokens',
      usage: { output_tokens: 11, output_tokens_details: { thinking_tokens: 1 } },
    });
    expect((await answered({ content: long }, { max_tokens: 1 })).body).toMatchObject({ content: [] });
  });

  it('is cut within the input of a call, whose block is closed', async () => {
    const cut = { content: [call('a', { input: { path: 'abc' } })] };
    const server = await anthropicServer({ reply: () => cut });
    onTestFinished(() => server.close());
    const { events } = await postStreamed(server, request({ max_tokens: 4 }));
    const types = events.map(({ event }) => event);
    expect(JSON.stringify(events)).toContain('{\\"path\\":');
    expect(JSON.stringify(events)).not.toContain('abc');
    expect(types.slice(-4)).toEqual(['content_block_stop', 'ping', 'message_delta', 'message_stop']);
    expect((await answered(cut, { max_tokens: 4 })).body).toMatchObject({
      content: [{ type: 'tool_use', input: {} }],
      stop_reason: 'max_tokens',
    });
  });

  it('may leave its last block open, and may answer a request for a stream with JSON', async () => {
    const content = [call('a', { input: '{"path":"a' })];
    const reply = () => ({ content, stop_reason: 'max_tokens', lastBlock: 'open' as const });
    const [open, plain] = [await anthropicServer({ reply }), await anthropicServer({ reply, ignoresStream: true })];
    onTestFinished(() => Promise.all([open.close(), plain.close()]).then(() => undefined));
    const { events } = await postStreamed(open, request());
    expect(events.map(({ event }) => event)).not.toContain('content_block_stop');
    expect((await post(plain, request({ stream: true }))).body).toMatchObject({ content: [{ input: {} }] });
  });

  it('is counted, unless its author has counted', async () => {
    const content = [text('four char')];
    expect((await answered({ content })).body).toMatchObject({ usage: { output_tokens: 3, service_tier: 'standard' } });
    const { body } = await answered({ content, usage: { output_tokens: 70, cache_read_input_tokens: 5 } });
    expect(body).toMatchObject({ usage: { output_tokens: 70, cache_read_input_tokens: 5 } });
  });
});
