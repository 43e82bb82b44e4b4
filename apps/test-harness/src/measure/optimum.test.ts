import { expect, test } from 'vitest';
import { costUncondensed, leastCost } from './optimum.js';
import type { SizesByCall } from './optimum.js';

const row = { name: 'r = 0.1', input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 };

test('an uncondensed session writes each token once and reads it at every later call', () => {
  // 100 written; 100 read, 10 written; 110 read, 20 written.
  const cost = 1.25 * 100 + (0.1 * 100 + 1.25 * 10) + (0.1 * 110 + 1.25 * 20);
  expect(costUncondensed({ head: 100, added: [10, 20, 0] }, row)).toBeCloseTo(cost);
});

/** Tries every set of calls at which to drop. */
function byExhaustion({ head, added }: SizesByCall, target: number): number {
  const bound = Math.max(target, head + 2_000);
  const calls = added.length;
  let best = Infinity;
  for (let drops = 0; drops < 2 ** (calls - 1); drops++) {
    let kept: number[] = [];
    let cost = 0;
    let isAllowed = true;
    for (let call = 0; call < calls; call++) {
      if (call > 0) kept.push(added[call - 1] ?? 0);
      const size = head + kept.reduce((sum, each) => sum + each, 0);
      if (call === 0) cost += row.cacheWrite * head;
      else if ((drops & (1 << (call - 1))) === 0) {
        const newest = kept.at(-1) ?? 0;
        cost += row.cacheRead * (size - newest) + row.cacheWrite * newest;
      } else {
        isAllowed &&= size > bound;
        const all = kept;
        kept = [];
        for (let step = all.length - 1; step >= 0; step--) {
          const sum = kept.reduce((total, each) => total + each, 0) + (all[step] ?? 0);
          if (step < all.length - 1 && sum > bound - head) break;
          kept.unshift(all[step] ?? 0);
        }
        cost += row.cacheRead * head + row.cacheWrite * kept.reduce((sum, each) => sum + each, 0);
      }
    }
    if (isAllowed) best = Math.min(best, cost);
  }
  return best;
}

test('the optimum is the least of all ways to drop', () => {
  let seed = 7;
  const below = (bound: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % bound;
  };
  for (let round = 0; round < 60; round++) {
    const added = Array.from({ length: 2 + below(9) }, () => below(3_000));
    const sizes = { head: 100 + below(1_000), added: [...added.slice(0, -1), 0] };
    const target = 2_000 + below(4_000);
    expect(leastCost(sizes, target, row), JSON.stringify({ sizes, target })).toBeCloseTo(byExhaustion(sizes, target));
  }
});
