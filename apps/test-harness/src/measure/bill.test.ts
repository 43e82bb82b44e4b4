import { expect, test } from 'vitest';
import { billMeter } from './bill.js';
import { costOfDrops, leastCost, ruleAtCalls } from './drops.js';
import type { Prices } from './money.js';
import type { ReplayedCall } from './replayed-call.js';

const prices: Prices = { name: 'r = 0.1', input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5 };
/** Each call adds 2,000 tokens to 3,000. */
const sizes = { head: 3_000, added: Array.from({ length: 40 }, (_, call) => (call < 39 ? 2_000 : 0)) };

/** The regret of a condenser that leaves so many tokens whenever it acts. */
function regretOf(actedAt: readonly number[], left: number): number | undefined {
  const meter = billMeter({
    prices: [prices],
    sizes,
    markedUse: () => ({ atMarks: { cacheRead: 0, cacheWrite: 0, input: 0, output: 0 } }),
    faults: [],
    ownCalls: [],
  });
  for (let index = 0; index < sizes.added.length; index++) {
    const rewrites = actedAt.includes(index);
    const prompt = { tokens: rewrites ? left : 50_000, cached: 0, rewrites };
    meter.atCall({ index, prompt } as unknown as ReplayedCall);
  }
  return meter.result()[0]?.regret;
}

test('the regret compares with drops that leave as much, whatever that is', () => {
  for (const left of [9_000, 25_000]) {
    const least = leastCost(sizes, left, prices);
    const once = sizes.added.map((_, call) => costOfDrops(sizes, left, prices, ruleAtCalls([call])));
    const call = once.indexOf(Math.min(...once));
    expect(regretOf([call], left)).toBeCloseTo((once[call] ?? 0) / least - 1);
    expect(regretOf([2], left)).toBeGreaterThan(regretOf([call], left) ?? Infinity);
  }
});

test('who never acts is compared with drops to the usual target', () => {
  expect(regretOf([], 0)).toBeCloseTo(
    costOfDrops(sizes, 15_000, prices, ruleAtCalls([])) / leastCost(sizes, 15_000, prices) - 1,
  );
});
