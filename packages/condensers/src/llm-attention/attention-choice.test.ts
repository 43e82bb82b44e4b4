import fc from 'fast-check';
import { expect, test } from 'vitest';
import { selectByRank } from './attention-choice.js';
import type { WeighedUnit } from './attention-choice.js';

/** Units of these sizes, one behind the other; every event has 10 tokens. */
function units(first: number, ...sizes: readonly number[]): readonly WeighedUnit[] {
  let start = first;
  return sizes.map((size) => {
    const unit = { start, end: start + size, events: size, tokens: size * 10 };
    start += size;
    return unit;
  });
}

function kept(of: readonly WeighedUnit[], ranked: readonly number[], events: number, tokens = Infinity) {
  return [...selectByRank(of, { ranked, room: { events, tokens } })].map(({ start }) => start).sort((a, b) => a - b);
}

const single = units(2, 1, 1, 1, 1, 1, 1, 1, 1);

test.each([
  { what: 'the ranked ones', ranked: [3, 5, 7], room: 3, stays: [3, 5, 7] },
  { what: 'no more than there is room for, by importance', ranked: [3, 5, 7, 9], room: 2, stays: [3, 5] },
  { what: 'the newest where the ranking ends', ranked: [4], room: 3, stays: [4, 8, 9] },
  { what: 'the newest without a ranking', ranked: [], room: 3, stays: [7, 8, 9] },
  { what: 'nothing without room', ranked: [4], room: 0, stays: [] },
  { what: 'known fault of the original: unknown ids cost nothing', ranked: [99, -1, 1e9, 4], room: 2, stays: [4, 9] },
  {
    what: 'known fault of the original: ids of the first events cost nothing',
    ranked: [0, 1, 4],
    room: 2,
    stays: [4, 9],
  },
  { what: 'known fault of the original: repeated ids cost nothing', ranked: [4, 4, 4, 6], room: 3, stays: [4, 6, 9] },
  { what: 'filling up passes over what is chosen', ranked: [9, 8], room: 3, stays: [7, 8, 9] },
])('keeps $what', ({ ranked, room, stays }) => {
  expect(kept(single, ranked, room)).toEqual(stays);
});

test('a unit stays whole or not at all, and what is too large leaves its room to others', () => {
  const batches = units(0, 2, 6, 2, 2);
  expect(kept(batches, [3], 6)).toEqual([2]);
  expect(kept(batches, [5], 5)).toEqual([8, 10]);
  expect(kept(batches, [1, 4], 8)).toEqual([0, 2]);
  expect(kept(batches, [0, 1, 9], 5)).toEqual([0, 8]);
});

test('tokens are room too', () => {
  expect(kept(single, [2, 3, 4], 8, 25)).toEqual([2, 3]);
  expect(kept(units(0, 6, 1, 1), [0], 8, 59)).toEqual([6, 7]);
});

test('it never keeps more than there is room for, and never leaves out what would still fit', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 30 }),
      fc.array(fc.integer({ min: -3, max: 150 }), { maxLength: 40 }),
      fc.integer({ min: -2, max: 80 }),
      fc.integer({ min: -10, max: 900 }),
      (sizes, ranked, events, tokens) => {
        const all = units(3, ...sizes);
        const chosen = selectByRank(all, { ranked, room: { events, tokens } });
        const used = [...chosen].reduce((sum, unit) => sum + unit.events, 0);
        expect(used).toBeLessThanOrEqual(Math.max(0, events));
        expect(used * 10).toBeLessThanOrEqual(Math.max(0, tokens));
        for (const unit of all) {
          if (chosen.has(unit)) continue;
          expect(unit.events > events - used || unit.tokens > tokens - used * 10).toBe(true);
        }
      },
    ),
    { seed: 20_261_121 },
  );
});
