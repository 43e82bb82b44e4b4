import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fewer } from '../../../test-support/fewer.js';
import { excerpt, oneLine } from './excerpt.js';

/**
 * Any character but half a surrogate pair. `unit: 'binary'` of fast-check is the same, with a map of all 1,112,064 characters that it
 * makes when the first text is asked for: nearly a second, and 80 MB that stay. With the way back, texts such as `__proto__` are tried.
 */
const anyCharacter = fc
  .nat(0x10_ff_ff)
  .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
  .map(
    (code) => String.fromCodePoint(code),
    (text) => String(text).codePointAt(0) ?? Number.NaN,
  );

test('short text stays; long text keeps its beginning and its end', () => {
  expect(excerpt('abc', 3)).toBe('abc');
  expect(excerpt(`begin ${'x'.repeat(500)} end`, 120)).toMatch(/^begin x+ \[… \d+ characters left out …\] x+ end$/);
  expect(excerpt('x'.repeat(50), 10)).toBe('xxxxxxxxx…');
  expect(excerpt('abc', 0)).toBe('…'.slice(0, 1));
  expect(oneLine('  a\n\tb  c ', 100)).toBe('a b c');
});

test('an excerpt never exceeds its limit and never splits a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 600 }), fc.integer({ min: 1, max: 300 }), (text, limit) => {
      for (const cut of [excerpt(text, limit), oneLine(text, limit)]) {
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut.isWellFormed()).toBe(true);
      }
    }),
    { seed: 20_261_121, numRuns: fewer(300) },
  );
});

test('the note counts what is missing, and a few characters get no note that is longer than they are', () => {
  const text = `begin ${'x'.repeat(500)} end`;
  const cut = excerpt(text, 120);
  const [note = '', count] = / \[… (\d+) characters left out …\] /.exec(cut) ?? [];
  expect(cut.length - note.length + Number(count)).toBe(text.length);
  expect(cut.length).toBeLessThanOrEqual(120);
  const short = excerpt(`begin ${'x'.repeat(110)} end`, 110);
  expect(short).toMatch(/^begin x+ … x+ end$/);
  expect(short).toHaveLength(110);
});
