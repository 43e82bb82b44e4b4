import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutInMiddle } from './event-text.js';

test('what fits stays as it is', () => {
  expect(cutInMiddle('abc', 3)).toBe('abc');
});

test('what does not keeps its beginning and its end, and says how much is missing', () => {
  const text = `BEGIN${'-'.repeat(1_000)}END`;
  const cut = cutInMiddle(text, 200);
  expect(cut).toMatch(/^BEGIN-+\n\[… 808 characters left out …]\n-+END$/);
});

test('never longer than the limit, and never half a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.nat(300), (text, limit) => {
      const cut = cutInMiddle(text, limit);
      expect(cut.length).toBeLessThanOrEqual(Math.max(limit, 0));
      expect(cut.isWellFormed()).toBe(true);
    }),
    { seed: 20_261_121 },
  );
});
