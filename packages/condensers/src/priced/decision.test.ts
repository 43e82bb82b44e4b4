import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { judge } from './decision.js';
import type { Situation } from './decision.js';
import { costOfRequest } from './ledger.js';

const prices = { read: 0.1, write: 1.25, output: 5 };
const nothing = { calls: 0, bill: 0, rawBill: 0, cached: 0, rawCached: 0, hidden: 0, isCold: false };
const uninsured = { tolerance: 1_000, credit: 0 };

/** A conversation that has grown by 1,000 tokens a call, up to 40,000. */
function grown(changes: Partial<Situation> = {}): Situation {
  const sizes = Array.from({ length: 39 }, (_, call) => 1_000 * (call + 1));
  let bill = 0;
  for (const [call, size] of sizes.entries()) bill += costOfRequest(size, sizes[call - 1] ?? 0, prices);
  const ledger = { calls: 39, bill, rawBill: bill, cached: 39_000, rawCached: 39_000, hidden: 0, isCold: false };
  return { prices, ledger, fixed: 0, tokens: 40_000, calls: callsOf(sizes), isCold: false, ...changes };
}

function callsOf(sizes: readonly number[]): Situation['calls'] {
  return {
    above: (tokens) => {
      const larger = sizes.filter((size) => size > tokens);
      return { calls: larger.length, tokens: larger.reduce((sum, size) => sum + size, 0) };
    },
  };
}

test('acts when the rent has reached what is written again', () => {
  // Ten calls held more than 30,000 tokens: 10,000 + 9,000 + … + 1,000 tokens at 0.1 are 5,500.
  const rewrittenTokens = 5_500 / (1.25 - 0.1);
  const down = { savedTokens: 10_000 };
  expect(judge({ ...down, rewrittenTokens: rewrittenTokens - 1 }, grown(), uninsured)).toBe('rent');
  expect(judge({ ...down, rewrittenTokens: rewrittenTokens + 1 }, grown(), uninsured)).toBeUndefined();
});

test('the reducer’s own model is a part of the price', () => {
  const reduction = { savedTokens: 10_000, rewrittenTokens: 1_000 };
  expect(judge(reduction, grown(), uninsured)).toBe('rent');
  // 1.15 × 1,000 + 4,000 + 5 × 80 is more than 5,500; with 60 tokens written it is 5,450.
  const asked = { ...reduction, modelInputTokens: 4_000 };
  expect(judge({ ...asked, modelOutputTokens: 80 }, grown(), uninsured)).toBeUndefined();
  expect(judge({ ...asked, modelOutputTokens: 60 }, grown(), uninsured)).toBe('rent');
});

test('savings that grow slower than the view have paid rent for longer', () => {
  const reduction = { savedTokens: 10_000, rewrittenTokens: 6_000 };
  expect(judge(reduction, grown(), uninsured)).toBeUndefined();
  expect(judge({ ...reduction, savedShare: 0.5 }, grown(), uninsured)).toBe('rent');
});

test('a cold cache is written again in any case, but a small saving is not worth forgetting', () => {
  const isCold = true;
  expect(judge({ savedTokens: 4_000, rewrittenTokens: 36_000 }, grown({ isCold }), uninsured)).toBe('cold');
  expect(judge({ savedTokens: 3_999, rewrittenTokens: 36_001 }, grown({ isCold }), uninsured)).toBeUndefined();
});

test('without a cache nothing is lost by writing again', () => {
  const free = { ...grown(), prices: { read: 1, write: 1, output: 5 } };
  expect(judge({ savedTokens: 4_000, rewrittenTokens: 36_000 }, free, uninsured)).toBe('cold');
});

test('nothing saved is nothing done', () => {
  expect(judge({ savedTokens: 0, rewrittenTokens: 0 }, grown({ isCold: true }), uninsured)).toBeUndefined();
});

test('the insurance refuses what would be dearer than doing nothing, until the credit covers it', () => {
  const reduction = { savedTokens: 20_000, rewrittenTokens: 15_000 };
  expect(judge(reduction, grown(), uninsured)).toBe('rent');
  expect(judge(reduction, grown(), { tolerance: 0, credit: 0 })).toBeUndefined();
  expect(judge(reduction, grown(), { tolerance: 0, credit: 0.25 })).toBe('rent');
});

/** What a session costs that is reduced to `target` tokens at some of its calls. */
function costOf(steps: readonly number[], target: number, acts: (call: number, size: number) => boolean): number {
  let [size, cached, cost] = [0, 0, 0];
  for (const [call, step] of steps.entries()) {
    size += step;
    if (size > target && acts(call, size)) {
      // The newest step always stays; what stays of the rest is written again.
      size = Math.max(target, step);
      cached = 0;
    }
    cost += costOfRequest(size, cached, prices);
    cached = size;
  }
  return cost;
}

/** The cheapest way to reduce a session, by trying all of them. */
function cheapest(steps: readonly number[], target: number): number {
  let best = Infinity;
  for (let choice = 0; choice < 2 ** steps.length; choice++) {
    best = Math.min(
      best,
      costOf(steps, target, (call) => ((choice >> call) & 1) === 1),
    );
  }
  return best;
}

const smallSession = fc.array(fc.integer({ min: 500, max: 4_000 }), { minLength: 2, maxLength: 11 });

test.prop([smallSession, fc.integer({ min: 2_000, max: 9_000 })], { seed: 11, numRuns: 300 })(
  'the rule pays at most twice of what the best choice of moments pays above the floor, and one step',
  (steps, target) => {
    let sizes: number[] = [];
    const cost = costOf(steps, target, (call, size) => {
      const rewrittenTokens = Math.max(0, target - (steps[call] as number));
      const situation = { prices, ledger: nothing, fixed: 0, tokens: size, calls: callsOf(sizes), isCold: false };
      const acts = judge({ savedTokens: size - target, rewrittenTokens }, situation, uninsured) !== undefined;
      sizes = acts ? [target] : [...sizes, size];
      return acts;
    });
    // Whoever keeps `target` tokens writes each token once and reads at most so many at each call.
    let [floor, held] = [0, 0];
    for (const step of steps) {
      floor += prices.write * step + prices.read * Math.min(held, target);
      held += step;
    }
    const best = cheapest(steps, target);
    const largest = Math.max(...steps);
    expect(cost - floor).toBeLessThanOrEqual(2 * Math.max(0, best - floor) + prices.write * (largest + target));
  },
);
