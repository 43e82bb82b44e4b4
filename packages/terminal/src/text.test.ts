import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  coloursFor,
  cutToWidth,
  printableJson,
  printableLine,
  printableText,
  terminalWidth,
  widthOf,
  wrapToWidth,
} from './text.js';

/** Characters that no output may hold, said in another way than the code does: controls of 7 and 8 bits, and marks of direction. */
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
        expect(printableLine(text)).not.toMatch(driving);
        expect(printableLine(text)).not.toContain('\n');
        expect(printableText(text)).not.toMatch(driving);
        expect(printableText(text).split('\n')).toHaveLength(text.split('\n').length);
        expect(printableJson({ [text]: text })).not.toMatch(driving);
        expect(JSON.parse(printableJson({ [text]: text }))).toEqual({ [text]: text });
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
    expect(printableText(text)).toBe(expected);
  });

  test('letters of all languages, and signs of several parts, stay as they are', () => {
    const text = 'Grüße, 漢字, عربي, 👩‍👩‍👧, 🇨🇭';
    expect(printableLine(text)).toBe(text);
    expect(printableText(text)).toBe(text);
  });

  test('megabytes of it are shown too', () => {
    expect(printableText('\u001b['.repeat(1_000_000))).toHaveLength(5_000_000);
    expect(printableLine(' \t\n'.repeat(1_000_000))).toBe('');
  });
});

const line = fc
  .array(fc.constantFrom('a', 'word ', '漢', '→', '…', '“', 'é', '👩‍👩‍👧', '🇨🇭', '\u0301', 'x'.repeat(9)), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));

test('no line is wider than asked, and it is cut only at its end', () => {
  fc.assert(
    fc.property(line, fc.nat(60), (line, width) => {
      const cut = cutToWidth(line, width);
      expect(widthOf(cut)).toBeLessThanOrEqual(width);
      if (widthOf(line) <= width) expect(cut).toBe(line);
      else if (width > 0) expect(line.startsWith(cut.slice(0, -1)) && cut.endsWith('…')).toBe(true);
    }),
    { seed: 20_261_123, numRuns: 500 },
  );
});

test('a text of known width is cut where it should be', () => {
  expect(cutToWidth('350→ slog.String("checkpoint_id")', 12)).toBe('350→ slog.S…');
  expect(cutToWidth('漢字漢字', 6)).toBe('漢字…');
  expect(cutToWidth('漢字', 4)).toBe('漢字');
});

const word = fc.constantFrom('a', 'word', '漢字', '👩‍👩‍👧', 'x'.repeat(30), '  ', '\n');

test('no line is wider than asked, and no word that fits is lost', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.integer({ min: 2, max: 40 }), (words, width) => {
      const lines = wrapToWidth(words.join(' '), width);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
      const fitting = words
        .join(' ')
        .split(/\s+/)
        .filter((each) => each !== '' && widthOf(each) <= width);
      expect(
        lines
          .join(' ')
          .split(/\s+/)
          .filter((each) => each !== '' && !each.endsWith('…')),
      ).toEqual(fitting);
    }),
    { seed: 20_261_123, numRuns: 300 },
  );
});

test('lines stay lines', () => {
  expect(wrapToWidth('one two three\n\nfour', 7)).toEqual(['one two', 'three', '', 'four']);
});

test('a width that nobody knows is 80 columns, or what is asked', () => {
  expect([{}, { columns: 0 }, { columns: 60 }].map((stream) => terminalWidth(stream))).toEqual([80, 80, 60]);
  expect(terminalWidth({}, 160)).toBe(160);
});

const red = '\u001b[31mno\u001b[39m';

test.each([
  ['a terminal', { isTTY: true }, {}, red],
  ['a pipe', {}, {}, 'no'],
  ['a pipe, forced', {}, { FORCE_COLOR: '1' }, red],
  ['a pipe, forced with 0', {}, { FORCE_COLOR: '0' }, 'no'],
  ['a terminal without colour', { isTTY: true }, { NO_COLOR: '1' }, 'no'],
  ['a terminal with an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, red],
  ['both variables', { isTTY: true }, { NO_COLOR: '1', FORCE_COLOR: '1' }, 'no'],
  ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, 'no'],
])('colours: %s', (_name, stream, env, expected) => {
  expect(coloursFor(stream, env).red('no')).toBe(expected);
});
