import { expect, test } from 'vitest';
import { pairedDifference, pairedRows } from './paired.js';
import type { ReplayedSession } from './replayed-session.js';

const of = (difference: number, whole = 1) => ({ difference, whole });

test('where every session differs by the same share, so does every resample', () => {
  const found = pairedDifference([of(-2, 10), of(-20, 100), of(-200, 1_000)]);
  expect(found).toMatchObject({ sameSign: 3, differing: 3 });
  for (const bound of [found.difference, found.low, found.high]) expect(bound).toBeCloseTo(-0.2);
});

test('the interval of a mean of a hundred values is that of its standard error', () => {
  const found = pairedDifference(Array.from({ length: 100 }, (_, value) => of(value)));
  const error = Math.sqrt((100 ** 2 - 1) / 12 / 100);
  expect(found.difference).toBe(49.5);
  expect(Math.abs(found.low - (49.5 - 1.96 * error))).toBeLessThan(0.5);
  expect(Math.abs(found.high - (49.5 + 1.96 * error))).toBeLessThan(0.5);
});

test('the difference is of the sums, so a large session weighs more, and the interval shows that it is alone', () => {
  const found = pairedDifference([of(50, 100), of(-0.1), of(-0.1), of(0)]);
  expect(found.difference).toBeCloseTo(49.8 / 103);
  expect(found).toMatchObject({ low: expect.closeTo(-0.1) as number, sameSign: 1, differing: 3 });
  expect(found.high).toBeGreaterThan(0.4);
});

test('the same sessions have the same interval each time; nothing is a difference of nothing', () => {
  const sessions = [of(1), of(2, 3), of(-4, 5), of(0.5)];
  expect(pairedDifference(sessions)).toEqual(pairedDifference(sessions));
  expect(pairedDifference([of(0, 0), of(0, 0)])).toEqual({ difference: 0, low: 0, high: 0, sameSign: 0, differing: 0 });
  // A sum of thirds is no difference.
  expect(pairedDifference([of(1e-16), of(-1e-16)]).differing).toBe(0);
});

/** A replay with what is compared. */
const replay = (condenser: string, cost: number, part: number) => ({
  condenser,
  bills: [{ prices: 'one', input: cost }],
  memory: { all: { part, whole: 4 } },
  loops: [{ need: 'evidence', costs: [cost] }],
});
const sessionsOf = (...replays: readonly (readonly unknown[])[]) =>
  replays.map((each) => ({ replays: each }) as unknown as ReplayedSession);

test('policies are compared with the first that was named, by what they save and remember', () => {
  const none = replay('none', 100, 4);
  const paired = pairedRows(
    sessionsOf(
      [none, replay('first', 50, 2), replay('second', 30, 1)],
      [none, replay('first', 50, 2), replay('second', 60, 2)],
    ),
  );
  expect(paired).toMatchObject({
    beside: 'first',
    rows: [
      {
        condenser: 'second',
        saved: [{ prices: 'one', difference: 0.05, low: -0.1, high: 0.2, sameSign: 1, differing: 2 }],
        recall: { difference: -0.125, low: -0.25, high: 0, sameSign: 1, differing: 1 },
      },
    ],
  });
});

test('one policy, one session, or no loop is nothing to compare', () => {
  const [none, first, second] = [replay('none', 100, 4), replay('first', 50, 2), replay('second', 50, 2)];
  expect(pairedRows([])).toBeUndefined();
  expect(pairedRows(sessionsOf([none, first], [none, first]))).toBeUndefined();
  expect(pairedRows(sessionsOf([none, first, second]))).toBeUndefined();
  const open = { ...first, loops: [] };
  expect(pairedRows(sessionsOf([none, open, open], [none, open, open]))).toBeUndefined();
});
