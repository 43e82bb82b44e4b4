import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { redactedCopy } from '../index.js';

const log = logBuilder();
const action = log.action(
  { name: 'write', input: { text: 'long' } },
  { thought: [{ type: 'text', text: 'I write.' }] },
);
const result = log.observation(action, 'long', {
  extendedContent: [{ type: 'text', text: 'rule' }],
  details: { exit: 1 },
});

test('a result keeps all but its content', () => {
  const { extendedContent: _extended, ...kept } = result;
  expect(redactedCopy(result, { text: 'X' })).toEqual({
    ...kept,
    content: [{ type: 'text', text: 'X' }],
    redacted: true,
  });
  expect(redactedCopy(log.reject(action, 'no'), { text: 'X' })).toMatchObject({ rejectionReason: 'X', redacted: true });
  expect(redactedCopy(log.error(action, 'bad'), { text: 'X' })).toMatchObject({ error: 'X', redacted: true });
});

test('a call keeps all but its arguments', () => {
  const toolCall = { id: action.toolCall.id, name: 'write', arguments: '{}' };
  expect(redactedCopy(action, { text: 'unused', arguments: '{}' })).toEqual({ ...action, toolCall, redacted: true });
});

test('what does not fit gives no copy; copies are frozen, originals untouched', () => {
  expect(redactedCopy(action, { text: 'X' })).toBeUndefined();
  expect(redactedCopy(result, { arguments: '{}' })).toBeUndefined();
  expect(redactedCopy(log.user('Go.'), { text: 'X', arguments: '{}' })).toBeUndefined();
  expect(Object.isFrozen(redactedCopy(result, { text: 'X' }))).toBe(true);
  expect(result.content).toEqual([{ type: 'text', text: 'long' }]);
});
