import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { onOneLine, shownJson, shownLines } from './shown-text.js';

/** What no output may hold, said in another way than the code does: controls of 7 and 8 bits, and marks of direction. */
const driving = /(?!\n)\p{Cc}|[\u061c\u200e\u200f\u2028\u2029]|[\u202a-\u202e]|[\u2066-\u2069]/u;

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

const hostile = fc
  .array(
    fc.constantFrom(
      '\u001b]52;c;cm0gLXJm\u0007',
      '\u001b[2J',
      '\u009b31m',
      '\u202e',
      '\u2066',
      '\r',
      '\b',
      '\u007f',
      '\u0000',
      '\n',
      'a',
      '漢',
      '"',
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

describe('text that wants to drive the terminal', () => {
  test('has no effect', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: anyCharacter })), (text) => {
        expect(onOneLine(text)).not.toMatch(driving);
        expect(onOneLine(text)).not.toContain('\n');
        expect(shownLines(text)).not.toMatch(driving);
        expect(shownLines(text).split('\n')).toHaveLength(text.split('\n').length);
        expect(shownJson({ [text]: text })).not.toMatch(driving);
        expect(JSON.parse(shownJson({ [text]: text }))).toEqual({ [text]: text });
      }),
      { seed: 20_261_123, numRuns: 500 },
    );
  });

  test.each([
    ['writing to the clipboard', 'a\u001b]52;c;cm0=\u0007b', String.raw`a\x1b]52;c;cm0=\x07b`],
    ['a title of the window', '\u001b]0;root@host\u001b\\', String.raw`\x1b]0;root@host\x1b` + '\\'],
    ['eight bits instead of an escape', '\u009b31mred\u009d0;t\u009c', String.raw`\x9b31mred\x9d0;t\x9c`],
    ['writing over the line', 'rm -rf /\r\u001b[2Kls', String.raw`rm -rf /\x0d\x1b[2Kls`],
    ['turning the direction', 'a\u202egnp.exe\u2066', String.raw`a\u202egnp.exe\u2066`],
    ['an end of line of another kind', 'one\u2028two\u0085three', String.raw`one\u2028two\x85three`],
  ])('%s is shown', (_name, text, expected) => {
    expect(shownLines(text)).toBe(expected);
  });

  test('letters of all languages, and signs of several parts, stay as they are', () => {
    const text = 'Grüße, 漢字, عربي, 👩‍👩‍👧, 🇨🇭';
    expect(onOneLine(text)).toBe(text);
    expect(shownLines(text)).toBe(text);
  });

  test('megabytes of it are shown too', () => {
    expect(shownLines('\u001b['.repeat(1_000_000))).toHaveLength(5_000_000);
    expect(onOneLine(' \t\n'.repeat(1_000_000))).toBe('');
  });
});
