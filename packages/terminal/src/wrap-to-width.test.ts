import fc from 'fast-check';
import { expect, test } from 'vitest';
import { widthOf } from './cut-to-width.js';
import { terminalWidth } from './terminal-width.js';
import { wrapToWidth } from './wrap-to-width.js';

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
