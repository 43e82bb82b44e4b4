import { expect, test } from 'vitest';
import { maskedArguments } from './argument-mask.js';

const long = 'x'.repeat(1_000);

test('long texts become notes, wherever they stand, and the rest stays', () => {
  const masked =
    maskedArguments(JSON.stringify({ path: 'a.ts', edits: [{ text: long, line: 3 }] }), { address: 'yrbkze44' }) ?? '';
  expect(JSON.parse(masked)).toEqual({
    path: 'a.ts',
    edits: [{ text: expect.stringContaining('1000 characters; address yrbkze44;') as unknown, line: 3 }],
  });
});

test.each([
  ['short', '{"path":"a.ts"}'],
  ['no object', JSON.stringify(long)],
  ['a list', JSON.stringify([long])],
  ['not JSON', long],
  ['nested deeper than any tool takes it', `${'{"a":'.repeat(20_000)}"${long}"${'}'.repeat(20_000)}`],
])('what is %s stays as it is', (_, text) => {
  expect(maskedArguments(text, { address: 'yrbkze44' })).toBeUndefined();
});
