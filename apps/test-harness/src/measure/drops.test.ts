import { expect, test } from 'vitest';
import { costOfDrops, rentRule, ruleAtCalls } from './drops.js';
import { costUncondensed, leastCost } from './optimum.js';
import type { SizesByCall } from './optimum.js';

const row = { name: 'r = 0.1', input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 };

test('without a drop the cost is that of doing nothing', () => {
  const sizes = { head: 100, added: [2_000, 3_000, 1_000, 0] };
  expect(costOfDrops(sizes, 2_100, row, () => false)).toBeCloseTo(costUncondensed(sizes, row));
});

test('a drop reads the head and writes what it keeps', () => {
  // Bound 2,100: before the third call 2,500 are sent, so the newest step stays, which is 1,000.
  const sizes = { head: 100, added: [1_400, 1_000, 0] };
  const before = 1.25 * 100 + (0.1 * 100 + 1.25 * 1_400);
  expect(costOfDrops(sizes, 2_100, row, ruleAtCalls([2]))).toBeCloseTo(before + 0.1 * 100 + 1.25 * 1_000);
});

test('a rule is asked only when there is something to drop', () => {
  const asked: number[] = [];
  const sizes = { head: 100, added: [1_000, 900, 500, 100, 0] };
  costOfDrops(sizes, 2_100, row, ({ call }) => {
    asked.push(call);
    return false;
  });
  expect(asked).toEqual([3, 4]);
});

test('RENT drops when the rent of what could be saved has paid for writing the rest again', () => {
  const rule = rentRule(row);
  const drop = { call: 1, saved: 1_000, rewritten: 250 };
  // Rent 100 a call; the rest costs 1.15 · 250 = 287.5.
  expect([rule(drop), rule(drop), rule(drop), rule(drop)]).toEqual([false, false, true, false]);
});

/** Sizes with a fixed seed. */
function samples(rounds: number): readonly SizesByCall[] {
  let seed = 11;
  const below = (bound: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % bound;
  };
  return Array.from({ length: rounds }, () => {
    const added = Array.from({ length: 2 + below(9) }, () => below(3_000));
    return { head: 100 + below(1_000), added: [...added.slice(0, -1), 0] };
  });
}

test('the optimum is the least cost of all choices of calls, and no rule does better', () => {
  for (const sizes of samples(60)) {
    const target = 3_000;
    const calls = sizes.added.length;
    let best = Infinity;
    for (let choice = 0; choice < 2 ** (calls - 1); choice++) {
      const chosen = Array.from({ length: calls - 1 }, (_, index) => index + 1).filter(
        (call) => choice & (1 << (call - 1)),
      );
      best = Math.min(best, costOfDrops(sizes, target, row, ruleAtCalls(chosen)));
    }
    const least = leastCost(sizes, target, row);
    expect(least, JSON.stringify(sizes)).toBeCloseTo(best);
    expect(costOfDrops(sizes, target, row, rentRule(row))).toBeGreaterThanOrEqual(least - 1e-6);
  }
});

test('on a long steady session RENT is within a twentieth of the optimum', () => {
  const sizes = { head: 6_000, added: [...Array.from({ length: 300 }, () => 1_500), 0] };
  const [rent, least] = [costOfDrops(sizes, 15_000, row, rentRule(row)), leastCost(sizes, 15_000, row)];
  expect(rent / least - 1).toBeLessThan(0.05);
  expect(rent).toBeLessThan(costUncondensed(sizes, row) / 2);
});
