import { describe, expect, it } from 'vitest';
import { checkChatCompletionsRequest } from './request.js';

// Raw bodies, written by hand: no converter of ours has touched them.
const tool = (name: string) => ({ type: 'function', function: { name, parameters: {} } });
const body = (messages: unknown, fields: object = {}) => ({
  model: 'gpt-4o',
  messages,
  tools: [tool('run')],
  ...fields,
});
const user = { role: 'user', content: 'Go.' };
const call = (id: unknown, fields: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'run', arguments: '{}', ...fields },
});
const calls = (...tool_calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls });
const result = (tool_call_id: string, content: unknown = 'ok') => ({ role: 'tool', tool_call_id, content });

const marked = (count: number) => ({
  role: 'user',
  content: Array.from({ length: count }, () => ({
    type: 'text',
    text: 'Go.',
    prompt_cache_breakpoint: { mode: 'explicit' },
  })),
});
const open = { type: 'object', properties: { a: { type: 'string' } } };
const closed = {
  type: 'object',
  properties: { a: { type: 'string' }, b: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/b' }] } },
  required: ['a', 'b'],
  additionalProperties: false,
  $defs: { b: { type: 'object', properties: {}, required: [], additionalProperties: false } },
};
const format = (schema: object, fields: object = {}) => ({
  type: 'json_schema',
  json_schema: { name: 'answer', strict: true, schema, ...fields },
});
const strictTool = (parameters: object) => ({ type: 'function', function: { name: 'run', strict: true, parameters } });

const good: readonly (readonly [string, unknown])[] = [
  ['one message', body([user])],
  [
    'instructions, developer, neighbours of one role, the assistant last',
    body([
      { role: 'system', content: 'Be short.' },
      { role: 'developer', content: 'Now.' },
      user,
      user,
      { role: 'assistant', content: 'Yes.' },
    ]),
  ],
  ['the assistant first', body([{ role: 'assistant', content: 'Hello.' }, user])],
  ['a batch with results in another order', body([user, calls(call('a'), call('b')), result('b'), result('a'), user])],
  ['an id again in a later message', body([user, calls(call('0')), result('0'), calls(call('0')), result('0')])],
  ['calls without the content field', body([user, { role: 'assistant', tool_calls: [call('a')] }, result('a')])],
  ['a refusal without content', body([user, { role: 'assistant', content: null, refusal: 'No.' }, user])],
  ['content in parts', body([{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }])],
  ['arguments that do not parse', body([user, calls(call('a', { arguments: '{"a":' })), result('a')])],
  ['an empty result', body([user, calls(call('a')), result('a', '')])],
  ['B8: a model that reasons beside tools', body([user], { model: 'gpt-5.2', reasoning_effort: 'high' })],
  ['B8: gpt-5.5 with tools and no effort', body([user], { model: 'gpt-5.5' })],
  ['B8: gpt-6-sol with tools and the effort none', body([user], { model: 'gpt-6-sol', reasoning_effort: 'none' })],
  ['B8: gpt-6.2-sol without tools', body([user], { model: 'gpt-6.2-sol', tools: undefined, reasoning_effort: 'high' })],
  ['B9: sampling of a model that has it', body([user], { temperature: 0.2, max_tokens: 5, stop: ['x'] })],
  ['B9: the default temperature', body([user], { model: 'gpt-5', temperature: 1, presence_penalty: 0 })],
  ['B9: the limit of a reasoning model', body([user], { model: 'gpt-5', max_completion_tokens: 5 })],
  ['B10: a schema that is not to be enforced', body([user], { response_format: format(open, { strict: false }) })],
  ['B10: a schema that can be enforced', body([user], { response_format: format(closed) })],
  ['B10: a strict tool', body([user], { tools: [strictTool(closed)] })],
  ['B11: a cache key of 64 and four breakpoints', body([marked(4)], { prompt_cache_key: 'x'.repeat(64) })],
  ['B12: options of a stream', body([user], { stream: true, stream_options: { include_usage: true } })],
  ['B12: parallel calls with tools', body([user], { parallel_tool_calls: false, tool_choice: 'auto' })],
  ['B-text: whole pairs, and escapes of them', body([{ role: 'user', content: '😀 \\ud83d' }])],
  [
    'B-text: an escaped pair in arguments',
    body([user, calls(call('a', { arguments: '{"a":"\\ud83d\\ude00"}' })), result('a')]),
  ],
  [
    'B-part-type: parts of each role',
    body([
      { role: 'system', content: [{ type: 'text', text: 'Be short.' }] },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }] },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      user,
      calls(call('a')),
      result('a', [{ type: 'text', text: 'ok' }]),
    ]),
  ],
  ['B-empty-list: no list', body([user, { role: 'assistant', content: 'Yes.', tool_calls: undefined }, user])],
  [
    'B-tools: calls and no tools of a model that takes none here',
    body([user, calls(call('a')), result('a')], { model: 'gpt-6.2-sol', tools: undefined }),
  ],
  ['B-tools: no tools and no calls', body([user], { tools: undefined })],
  ['128 tools', body([user], { tools: Array.from({ length: 128 }, (_, index) => tool(`tool-${index}`)) })],
];

const bad: readonly (readonly [rule: string, path: string, what: string, body: unknown])[] = [
  ['B0', '', 'no object', []],
  ['B0', 'model', 'no model', body([user], { model: undefined })],
  ['B0', 'messages', 'no messages', body([])],
  ['B0', 'messages.0.role', 'an unknown role', body([{ role: 'human', content: 'Go.' }])],
  ['B1', 'messages.1', 'a call without a result', body([user, calls(call('a'), call('b')), result('a'), user])],
  ['B1', 'messages.1', 'a call at the end', body([user, calls(call('a'))])],
  ['B2', 'messages.1.role', 'a result without a call', body([user, result('a')])],
  [
    'B2',
    'messages.3.tool_call_id',
    'two results for one call',
    body([user, calls(call('a')), result('a'), result('a')]),
  ],
  ['B2', 'messages.3.role', 'a result of another call', body([user, calls(call('a')), result('a'), result('b')])],
  [
    'B2',
    'messages.4.role',
    'a result after somebody else spoke',
    body([user, calls(call('a')), result('a'), user, result('a')]),
  ],
  [
    'B3',
    'messages.1.tool_calls.0.id',
    'an id of 41 characters',
    body([user, calls(call('x'.repeat(41))), result('x'.repeat(41))]),
  ],
  ['B3', 'messages.1.tool_calls.0.id', 'an empty id', body([user, calls(call('')), result('')])],
  [
    'B3',
    'messages.1.tool_calls.1.id',
    'an id twice in a message',
    body([user, calls(call('a'), call('a')), result('a')]),
  ],
  ['B4', 'tools.0.function.name', 'a tool name of other characters', body([user], { tools: [tool('files.read')] })],
  ['B4', 'tools.0.function.name', 'a tool name of 65 characters', body([user], { tools: [tool('x'.repeat(65))] })],
  [
    'B4',
    'messages.1.tool_calls.0.function.name',
    'a call of such a name',
    body([user, calls(call('a', { name: 'run it' })), result('a')]),
  ],
  ['B4', 'tool_choice.function.name', 'a choice of such a name', body([user], { tool_choice: tool('run it') })],
  ['B5', 'messages.0.content', 'a user without content', body([{ role: 'user', content: null }])],
  [
    'B5',
    'messages.1.content',
    'an assistant without content or calls',
    body([user, { role: 'assistant', content: null }]),
  ],
  ['B5', 'messages.2.content', 'a result without content', body([user, calls(call('a')), result('a', null)])],
  ['B5', 'messages.0.content', 'no parts', body([{ role: 'user', content: [] }])],
  [
    'B6',
    'messages.1.tool_calls.0.function.arguments',
    'arguments that are an object',
    body([user, calls(call('a', { arguments: {} })), result('a')]),
  ],
  [
    'B7',
    'tools',
    '129 tools',
    body([user], { tools: Array.from({ length: 129 }, (_, index) => tool(`tool-${index}`)) }),
  ],
  [
    'B8',
    'reasoning_effort',
    'gpt-5.5 with tools and effort',
    body([user], { model: 'gpt-5.5', reasoning_effort: 'low' }),
  ],
  ['B8', 'reasoning_effort', 'gpt-6-sol with tools and no effort', body([user], { model: 'gpt-6-sol' })],
  ['B8', 'reasoning_effort', 'gpt-6.2-sol with tools', body([user], { model: 'gpt-6.2-sol', reasoning_effort: 'low' })],
  [
    'B8',
    'reasoning_effort',
    'gpt-6.1-sol without reasoning',
    body([user], { model: 'gpt-6.1-sol', reasoning_effort: 'none' }),
  ],
  ['B8', 'reasoning_effort', 'a gpt not known here', body([user], { model: 'gpt-9' })],
  ['B9', 'max_tokens', 'max_tokens of a reasoning model', body([user], { model: 'gpt-5', max_tokens: 5 })],
  ['B9', 'temperature', 'temperature of a reasoning model', body([user], { model: 'o4-mini', temperature: 0.2 })],
  ['B9', 'top_p', 'top_p of a reasoning model', body([user], { model: 'gpt-5', top_p: 0.5 })],
  ['B9', 'stop', 'stop of a reasoning model', body([user], { model: 'gpt-5', stop: ['x'] })],
  ['B9', 'presence_penalty', 'a penalty of a reasoning model', body([user], { model: 'gpt-5', presence_penalty: 1 })],
  ['B9', 'logprobs', 'logprobs of a reasoning model', body([user], { model: 'gpt-5', logprobs: true })],
  ['B10', 'response_format', 'an open object', body([user], { response_format: format(open) })],
  [
    'B10',
    'response_format',
    'a key that is not required',
    body([user], { response_format: format({ ...closed, required: ['a'] }) }),
  ],
  [
    'B10',
    'response_format',
    'a root that is no object',
    body([user], { response_format: format({ anyOf: [closed] }) }),
  ],
  [
    'B10',
    'response_format',
    'an open object inside',
    body([user], { response_format: format({ ...closed, $defs: { b: open } }) }),
  ],
  [
    'B10',
    'response_format',
    'a keyword that cannot be enforced',
    body([user], { response_format: format({ ...closed, allOf: [] }) }),
  ],
  [
    'B10',
    'response_format.json_schema.name',
    'a name of other characters',
    body([user], { response_format: format(closed, { name: 'my answer' }) }),
  ],
  ['B10', 'tools.0.function.parameters', 'a strict tool that is open', body([user], { tools: [strictTool(open)] })],
  ['B11', 'prompt_cache_key', 'a cache key of 65 characters', body([user], { prompt_cache_key: 'x'.repeat(65) })],
  ['B11', 'messages', 'five breakpoints', body([marked(5)])],
  ['B12', 'stream_options', 'options of no stream', body([user], { stream_options: { include_usage: true } })],
  [
    'B12',
    'parallel_tool_calls',
    'parallel calls without tools',
    body([user], { tools: undefined, parallel_tool_calls: true }),
  ],
  ['B-text', 'messages.0.content', 'half of a pair in a text', body([{ role: 'user', content: 'a \ud83d' }])],
  ['B-text', 'messages.0', 'half of a pair in a key', body([{ ...user, '\ude00': 1 }])],
  [
    'B-text',
    'tools.0.function.description',
    'half of a pair in a description',
    body([user], { tools: [{ type: 'function', function: { name: 'run', description: '\ude00' } }] }),
  ],
  [
    'B-text',
    'messages.1.tool_calls.0.function.arguments',
    'half of a pair in arguments',
    body([user, calls(call('a', { arguments: '{"a":"\ud83d"}' })), result('a')]),
  ],
  [
    'B-text',
    'messages.1.tool_calls.0.function.arguments',
    'half of a pair escaped in arguments',
    body([user, calls(call('a', { arguments: '{"a":["\\ud83d"]}' })), result('a')]),
  ],
  [
    'B-part-type',
    'messages.0.content.0.type',
    'a part of no known type',
    body([{ role: 'user', content: [{ type: 'input_text', text: 'Go.' }] }]),
  ],
  [
    'B-part-type',
    'messages.2.content.0.type',
    'an image in a result',
    body([user, calls(call('a')), result('a', [{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }])]),
  ],
  [
    'B-part-type',
    'messages.2.content.0.text',
    'an empty text in a result',
    body([user, calls(call('a')), result('a', [{ type: 'text', text: '' }])]),
  ],
  ['B-empty-list', 'tools', 'no tool among the tools', body([user], { tools: [] })],
  [
    'B-empty-list',
    'messages.1.tool_calls',
    'no call among the calls',
    body([user, { role: 'assistant', content: 'Yes.', tool_calls: [] }, user]),
  ],
  ['B-tools', 'tools', 'calls and no tools', body([user, calls(call('a')), result('a')], { tools: undefined })],
  [
    'B1',
    'messages.1',
    'a system message between a call and its result',
    body([user, calls(call('a')), { role: 'system', content: 'Be short.' }]),
  ],
  ['B12', 'tool_choice', 'a choice without tools', body([user], { tools: undefined, tool_choice: 'auto' })],
];

describe('checkChatCompletionsRequest', () => {
  it.each(good)('takes %s', (_what, request) => expect(checkChatCompletionsRequest(request)).toEqual([]));

  it.each(bad)('%s at %j: %s', (rule, path, _what, request) => {
    const found = checkChatCompletionsRequest(request);
    expect(found[0]).toMatchObject({ rule, path });
    expect(found.filter((other) => other.rule !== rule)).toEqual([]);
  });

  it.each([
    ['gpt-6-sol', undefined, "To use function tools, use /v1/responses or set reasoning_effort to 'none'."],
    ['gpt-5.5', 'low', 'Please use /v1/responses instead.'],
  ])('says what to do about tools of %s', (model, reasoning_effort, words) => {
    expect(checkChatCompletionsRequest(body([user], { model, reasoning_effort }))[0]?.message).toContain(words);
  });

  it('names the place in a schema', () => {
    const schema = { ...closed, properties: { a: open, b: {} } };
    const [found] = checkChatCompletionsRequest(body([user], { response_format: format(schema) }));
    expect(found?.message).toBe(
      "Invalid schema for response_format 'answer': In context=('properties', 'a'), 'additionalProperties' is required to " +
        'be supplied and to be false.',
    );
  });

  it('names both sides where a result stands elsewhere', () => {
    const found = checkChatCompletionsRequest(body([user, calls(call('a')), user, result('a')]));
    expect(found.map(({ rule }) => rule)).toEqual(['B1', 'B2']);
  });

  it.each([null, 'x', {}, { messages: [null, 7, { role: 7, tool_calls: [null, 7] }] }])(
    'refuses %j and does not throw',
    (request) => expect(checkChatCompletionsRequest(request)).not.toEqual([]),
  );
});
