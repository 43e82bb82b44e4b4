import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutInMiddle, textLimits } from './event-text.js';

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

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

test('where all fits, all stays, up to the longest', () => {
  expect(textLimits([10, 5_000, 300], { room: 10_000, longest: 1_000 })).toEqual({
    leftOut: 0,
    limits: [10, 1_000, 300],
  });
});

test('where it does not fit, the oldest are cut hardest, and short texts stay whole', () => {
  const { leftOut, limits } = textLimits([2_000, 50, 2_000, 2_000], { room: 3_000, longest: 2_000 });
  expect(leftOut).toBe(0);
  expect(limits[1]).toBe(50);
  expect(limits[0]).toBeLessThan(limits[2] ?? 0);
  expect(limits[2]).toBeLessThan(limits[3] ?? 0);
  expect(sum(limits)).toBeGreaterThan(2_900);
});

test('where not even the beginnings fit, the oldest are left out', () => {
  const { leftOut, limits } = textLimits(
    Array.from({ length: 100 }, () => 500),
    { room: 1_200, longest: 500 },
  );
  expect(leftOut).toBe(90);
  expect(limits.slice(90)).toEqual(Array.from({ length: 10 }, () => 120));
});

test('never more than the room, never a longer text than there was, and no newer one left out for an older one', () => {
  const lengths = fc.array(fc.nat(5_000), { maxLength: 60 });
  fc.assert(
    fc.property(lengths, fc.nat(50_000), fc.integer({ min: 1, max: 5_000 }), (texts, room, longest) => {
      const { leftOut, limits } = textLimits(texts, { room, longest });
      expect(sum(limits)).toBeLessThanOrEqual(room);
      for (const [index, limit] of limits.entries()) {
        expect(limit).toBeLessThanOrEqual(Math.min(texts[index] ?? 0, longest));
        if (index < leftOut) expect(limit).toBe(0);
      }
    }),
    { seed: 20_261_121 },
  );
});
