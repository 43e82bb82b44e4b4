import { expect, test } from 'vitest';
import { callAlias, isSendableCallId } from './call-alias.js';

test('an alias is stable, sendable, and another one for another event', () => {
  const aliases = ['event-1', 'event-2', '', 'ü'.repeat(500)].map(callAlias);
  expect(aliases).toEqual(['event-1', 'event-2', '', 'ü'.repeat(500)].map(callAlias));
  expect(new Set(aliases).size).toBe(4);
  for (const alias of aliases) expect([isSendableCallId(alias), alias.length]).toEqual([true, 21]);
});

test.each([
  ['call_0', true],
  ['a'.repeat(40), true],
  ['a'.repeat(41), false],
  ['', false],
  ['functions.run:0', false],
  ['a b', false],
  ['a\n', false],
])('%j is sendable: %s', (id, expected) => {
  expect(isSendableCallId(id)).toBe(expected);
});
