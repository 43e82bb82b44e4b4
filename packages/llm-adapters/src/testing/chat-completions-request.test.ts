import { describe, expect, it } from 'vitest';
import { checkChatCompletionsRequest } from './chat-completions-request.js';

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
];

describe('checkChatCompletionsRequest', () => {
  it.each(good)('takes %s', (_what, request) => expect(checkChatCompletionsRequest(request)).toEqual([]));

  it.each(bad)('%s at %j: %s', (rule, path, _what, request) => {
    const found = checkChatCompletionsRequest(request);
    expect(found[0]).toMatchObject({ rule, path });
    expect(found.filter((other) => other.rule !== rule)).toEqual([]);
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
