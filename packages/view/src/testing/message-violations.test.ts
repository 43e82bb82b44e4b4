import type { AssistantMessage, Message, ToolMessage } from '@palimpsest/events';
import { expect, test } from 'vitest';
import { messageViolations } from './message-violations.js';

const user: Message = { role: 'user', content: [{ type: 'text', text: 'Go.' }] };
const system: Message = { role: 'system', content: [{ type: 'text', text: 'You are an agent.' }] };
const calls = (...ids: readonly string[]): AssistantMessage => ({
  role: 'assistant',
  content: [],
  toolCalls: ids.map((id) => ({ id, name: 'run', arguments: '{}' })),
});
const result = (toolCallId: string): ToolMessage => ({ role: 'tool', toolCallId, toolName: 'run', content: [] });

test('a list that every provider takes has none', () => {
  const thinking: Message = {
    role: 'assistant',
    content: [],
    thinkingBlocks: [{ type: 'redacted-thinking', data: 'x' }],
  };
  const list = [system, user, calls('a', 'b'), result('b'), result('a'), thinking, user, calls('c'), result('c')];
  expect(messageViolations(list)).toEqual([]);
  expect(messageViolations([])).toEqual([]);
});

test.each<[string, readonly Message[], RegExp]>([
  ['a call without a result at the end', [user, calls('a')], /the end: the results of a are missing/],
  ['words before the results', [calls('a'), user, result('a')], /message 1 .*before the results of a/],
  ['the next call before the results', [calls('a'), calls('b'), result('b')], /message 1 .*before the results of a/],
  ['a result without its call', [user, result('a')], /message 1 .*'a' does not follow its call/],
  ['a result of an earlier call', [calls('a'), result('a'), user, result('a')], /message 3 .*does not follow/],
  ['two results for one call', [calls('a'), result('a'), result('a')], /message 2 .*does not follow/],
  ['a call id used twice', [calls('a'), result('a'), calls('a'), result('a')], /'a' is used twice/],
  ['a call id twice in one message', [calls('a', 'a'), result('a')], /'a' is used twice/],
  ['a call id with other characters', [calls('a.b'), result('a.b')], /not 1 to 40/],
  ['a call id of 41 characters', [calls('a'.repeat(41)), result('a'.repeat(41))], /not 1 to 40/],
  [
    'arguments that are no text',
    [{ ...calls('a'), toolCalls: [{ id: 'a', name: 'run', arguments: {} as string }] }, result('a')],
    /no text/,
  ],
  ['a system message later', [user, system], /system message that is not the first/],
  ['two system messages', [system, system], /system message that is not the first/],
  ['blank text', [{ role: 'user', content: [{ type: 'text', text: ' \n' }] }], /blank text/],
  ['blank text in a result', [calls('a'), { ...result('a'), content: [{ type: 'text', text: '' }] }], /blank text/],
  ['half of a pair in a text', [{ role: 'user', content: [{ type: 'text', text: 'a \ud83d' }] }], /surrogate pair/],
  ['half of a pair in a name', [calls('a'), { ...result('a'), toolName: '\ude00' }], /surrogate pair/],
  [
    'half of a pair as an escape',
    [{ ...calls('a'), toolCalls: [{ id: 'a', name: 'run', arguments: '{"a":["\\ud83d"]}' }] }, result('a')],
    /is escaped in 'a'/,
  ],
  ['a user message without content', [{ role: 'user', content: [] }], /no content/],
  ['an assistant message without anything', [{ role: 'assistant', content: [] }], /no content/],
])('%s', (_, messages, expected) => {
  expect(messageViolations(messages).join('\n')).toMatch(expected);
});
