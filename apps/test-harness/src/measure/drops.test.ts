import { expect, test } from 'vitest';
import { costOfDrops, costUncondensed, leastCost, rentRule, ruleAtCalls } from './drops.js';
import type { SizesByCall } from './drops.js';

const prices = { name: 'r = 0.1', input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 };

test('an uncondensed session writes each token once and reads it at every later call', () => {
  // 100 written; 100 read, 10 written; 110 read, 20 written.
  const cost = 1.25 * 100 + (0.1 * 100 + 1.25 * 10) + (0.1 * 110 + 1.25 * 20);
  expect(costUncondensed({ head: 100, added: [10, 20, 0] }, prices)).toBeCloseTo(cost);
});

/** Tries every set of calls at which to drop. With a tolerance, those sets alone that are at no call dearer than doing nothing by more. */
function byExhaustion({ head, added }: SizesByCall, target: number, tolerance = Infinity): number {
  const bound = Math.max(target, head + 2_000);
  const calls = added.length;
  let best = Infinity;
  for (let drops = 0; drops < 2 ** (calls - 1); drops++) {
    let kept: number[] = [];
    let [cost, undropped, whole] = [0, 0, head];
    let isAllowed = true;
    for (let call = 0; call < calls; call++) {
      if (call > 0) kept.push(added[call - 1] ?? 0);
      const size = head + kept.reduce((sum, each) => sum + each, 0);
      if (call === 0) cost += prices.cacheWrite * head;
      else if ((drops & (1 << (call - 1))) === 0) {
        const newest = kept.at(-1) ?? 0;
        cost += prices.cacheRead * (size - newest) + prices.cacheWrite * newest;
      } else {
        isAllowed &&= size > bound;
        const all = kept;
        kept = [];
        for (let step = all.length - 1; step >= 0; step--) {
          const sum = kept.reduce((total, each) => total + each, 0) + (all[step] ?? 0);
          if (step < all.length - 1 && sum > bound - head) break;
          kept.unshift(all[step] ?? 0);
        }
        cost += prices.cacheRead * head + prices.cacheWrite * kept.reduce((sum, each) => sum + each, 0);
      }
      const newest = added[call - 1] ?? 0;
      undropped += call === 0 ? prices.cacheWrite * head : prices.cacheRead * whole + prices.cacheWrite * newest;
      whole += newest;
      isAllowed &&= cost <= (1 + tolerance) * undropped;
    }
    if (isAllowed) best = Math.min(best, cost);
  }
  return best;
}

test('the optimum is the least of all ways to drop, and no rule does better', () => {
  let seed = 7;
  let dearerInsured = 0;
  const below = (bound: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % bound;
  };
  for (let round = 0; round < 60; round++) {
    const added = Array.from({ length: 2 + below(9) }, () => below(3_000));
    const sizes = { head: 100 + below(1_000), added: [...added.slice(0, -1), 0] };
    const target = 2_000 + below(4_000);
    const least = leastCost(sizes, target, prices);
    expect(least, JSON.stringify({ sizes, target })).toBeCloseTo(byExhaustion(sizes, target));
    expect(costOfDrops(sizes, target, prices, rentRule(prices))).toBeGreaterThanOrEqual(least - 1e-6);
    const insured = leastCost(sizes, target, prices, 0.02);
    expect(insured).toBeCloseTo(byExhaustion(sizes, target, 0.02));
    expect(insured).toBeGreaterThanOrEqual(least - 1e-6);
    if (insured > least + 1) dearerInsured++;
    const insuredRent = costOfDrops(sizes, target, prices, rentRule(prices, 0.02));
    expect(insuredRent).toBeGreaterThanOrEqual(insured - 1e-6);
    expect(insuredRent).toBeLessThanOrEqual(1.02 * costUncondensed(sizes, prices) + 1e-6);
  }
  expect(dearerInsured).toBeGreaterThan(0);
});

test('without a drop the cost is that of doing nothing', () => {
  const sizes = { head: 100, added: [2_000, 3_000, 1_000, 0] };
  expect(costOfDrops(sizes, 2_100, prices, () => false)).toBeCloseTo(costUncondensed(sizes, prices));
});

test('a drop reads the head and writes what it keeps', () => {
  // Bound 2,100: before the third call 2,500 are sent, so the newest step stays, which is 1,000.
  const sizes = { head: 100, added: [1_400, 1_000, 0] };
  const before = 1.25 * 100 + (0.1 * 100 + 1.25 * 1_400);
  expect(costOfDrops(sizes, 2_100, prices, ruleAtCalls([2]))).toBeCloseTo(before + 0.1 * 100 + 1.25 * 1_000);
});

test('a rule is asked only when there is something to drop', () => {
  const asked: number[] = [];
  const sizes = { head: 100, added: [1_000, 900, 500, 100, 0] };
  costOfDrops(sizes, 2_100, prices, ({ call }) => {
    asked.push(call);
    return false;
  });
  expect(asked).toEqual([3, 4]);
});

test('RENT drops when the rent of what could be saved has paid for writing the rest again', () => {
  const rule = rentRule(prices);
  const drop = { call: 1, saved: 1_000, rewritten: 250, paid: 2_000, undropped: 1_000 };
  // Rent 100 a call; the rest costs 1.15 · 250 = 287.5.
  expect([rule(drop), rule(drop), rule(drop), rule(drop)]).toEqual([false, false, true, false]);
  const insured = rentRule(prices, 0.02);
  for (let call = 0; call < 5; call++) expect(insured(drop)).toBe(false);
  // Rent that was refused stays due.
  expect(insured({ ...drop, paid: 1_020 })).toBe(true);
});

test('on a long steady session RENT is within a twentieth of the optimum', () => {
  const sizes = { head: 6_000, added: [...Array.from({ length: 300 }, () => 1_500), 0] };
  const [rent, least] = [costOfDrops(sizes, 15_000, prices, rentRule(prices)), leastCost(sizes, 15_000, prices)];
  expect(rent / least - 1).toBeLessThan(0.05);
  expect(rent).toBeLessThan(costUncondensed(sizes, prices) / 2);
});
