import { logBuilder } from '@palimpsest/events/testing';
import { newestStep, View } from '@palimpsest/view';
import type { Condenser, Reducer, Reduction } from '@palimpsest/view';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from './decide.js';
import type { Insurance, Situation } from './decide.js';
import { costOfRequest } from './ledger.js';

const prices = { read: 0.1, write: 1.25, output: 5 };
const nothing = {
  calls: 0,
  bill: 0,
  rawBill: 0,
  cached: 0,
  rawCached: 0,
  hidden: 0,
  hiddenEver: 0,
  rereadTokens: 0,
  isCold: false,
};
const uninsured = { tolerance: 1_000, credit: 0 };
const view = View.fromEvents([]);
const room = { isRequested: false, isExceeded: false, isWaiting: false, tokens: Infinity };
const stage: Condenser = { name: 'stage', condense: (current) => current };

/** Decides by price, and says why. */
function judge(reduction: Reduction, situation: Situation, insurance: Insurance): string {
  const { act, reason } = decide(stage, reduction, view, { ...situation, insurance });
  expect(act).toBe(reason === 'rent' || reason === 'cold');
  return reason;
}

/** Nothing but a price speaks for a reduction. */
const open = { view, room, insurance: uninsured, prices, fixed: 0, mayPay: true, isCold: false };

/** A conversation that has grown by 1,000 tokens a call, up to 40,000. */
function grown(changes: Partial<Situation> = {}): Situation {
  const sizes = Array.from({ length: 39 }, (_, call) => 1_000 * (call + 1));
  let bill = 0;
  for (const [call, size] of sizes.entries()) bill += costOfRequest(size, sizes[call - 1] ?? 0, prices);
  const ledger = {
    calls: 39,
    bill,
    rawBill: bill,
    cached: 39_000,
    rawCached: 39_000,
    hidden: 0,
    hiddenEver: 0,
    rereadTokens: 0,
    isCold: false,
  };
  return { ...open, ledger, tokens: 40_000, calls: callsOf(sizes), ...changes };
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
  expect(judge({ ...down, rewrittenTokens: rewrittenTokens + 1 }, grown(), uninsured)).toBe('not-due');
});

test('the reducer’s own model is a part of the price', () => {
  const reduction = { savedTokens: 10_000, rewrittenTokens: 1_000 };
  expect(judge(reduction, grown(), uninsured)).toBe('rent');
  // 1.15 × 1,000 + 4,000 + 5 × 80 is more than 5,500; with 60 tokens written it is 5,450.
  const asked = { ...reduction, modelInputTokens: 4_000 };
  expect(judge({ ...asked, modelOutputTokens: 80 }, grown(), uninsured)).toBe('not-due');
  expect(judge({ ...asked, modelOutputTokens: 60 }, grown(), uninsured)).toBe('rent');
});

test('savings that grow slower than the view have paid rent for longer', () => {
  const reduction = { savedTokens: 10_000, rewrittenTokens: 6_000 };
  expect(judge(reduction, grown(), uninsured)).toBe('not-due');
  expect(judge({ ...reduction, savedShare: 0.5 }, grown(), uninsured)).toBe('rent');
});

test('a cold cache is written again in any case, but a small saving is not worth forgetting', () => {
  const isCold = true;
  expect(judge({ savedTokens: 4_000, rewrittenTokens: 36_000 }, grown({ isCold }), uninsured)).toBe('cold');
  expect(judge({ savedTokens: 3_999, rewrittenTokens: 36_001 }, grown({ isCold }), uninsured)).toBe('not-due');
});

test('what gains nothing by waiting needs no least saving when writing again is free', () => {
  const small = { savedTokens: 10, rewrittenTokens: 30_000, savedShare: 0 };
  expect(judge(small, grown({ isCold: true }), uninsured)).toBe('cold');
  expect(judge({ ...small, savedShare: 1 }, grown({ isCold: true }), uninsured)).toBe('not-due');
});

test('a reducer that knows what has been read of its savings states the rent', () => {
  // 0.1 × (10,000 + 45,000) is 5,500; with one call less it is 4,500.
  const reduction = { savedTokens: 10_000, rewrittenTokens: 4_500, savedShare: 0 };
  expect(judge({ ...reduction, readTokens: 45_000 }, grown(), uninsured)).toBe('rent');
  expect(judge({ ...reduction, readTokens: 35_000 }, grown(), uninsured)).toBe('not-due');
});

test('without a cache nothing is lost by writing again', () => {
  const free = { ...grown(), prices: { read: 1, write: 1, output: 5 } };
  expect(judge({ savedTokens: 4_000, rewrittenTokens: 36_000 }, free, uninsured)).toBe('cold');
});

test('nothing saved is nothing done', () => {
  expect(judge({ savedTokens: 0, rewrittenTokens: 0 }, grown({ isCold: true }), uninsured)).toBe('saves-nothing');
});

test('the insurance refuses what would be dearer than doing nothing, until the credit covers it', () => {
  const reduction = { savedTokens: 20_000, rewrittenTokens: 12_000 };
  expect(judge(reduction, grown(), uninsured)).toBe('rent');
  expect(judge(reduction, grown(), { tolerance: 0, credit: 0 })).toBe('not-insured');
  // After 40 calls the credit is four ninths of what it is after many: 0.5 × 40 × 4/9 calls of 0.1 × 20,000 tokens.
  expect(judge(reduction, grown(), { tolerance: 0, credit: 0.25 })).toBe('not-insured');
  expect(judge(reduction, grown(), { tolerance: 0, credit: 0.5 })).toBe('rent');
});

test('what came back counts: as what a further condensation may bring back, and against its credit', () => {
  const reduction = { savedTokens: 20_000, rewrittenTokens: 12_000 };
  const { ledger } = grown();
  const judged = (rereadTokens: number, tolerance: number, credit: number): string =>
    judge(reduction, grown({ ledger: { ...ledger, hiddenEver: 30_000, rereadTokens } }), { tolerance, credit });
  expect(judged(0, 0, 0.5)).toBe('rent');
  // A twelfth of 60,000 came back: 1.25 × 20,000 / 12 tokens more, and a twelfth of the credit less.
  expect(judged(5_000, 0, 0.5)).toBe('not-insured');
  expect(judged(5_000, 0.2, 0.5)).toBe('rent');
  expect(judged(60_000, 0.2, 0.5)).toBe('not-insured');
});

test('what doing nothing could not send is compared with nothing', () => {
  const reduction = { savedTokens: 20_000, rewrittenTokens: 12_000 };
  const dear = { ...grown().ledger, bill: 2 * grown().ledger.rawBill, hidden: 70_000 };
  const past = grown({ ledger: dear, room: { ...room, tokens: 100_000 } });
  expect(judge(reduction, past, { tolerance: 0, credit: 0 })).toBe('rent');
  const within = grown({ ledger: dear, room: { ...room, tokens: 120_000 } });
  expect(judge(reduction, within, { tolerance: 0, credit: 0 })).toBe('not-insured');
});

test('no credit lets a conversation become more than a tenth dearer; a larger tolerance does', () => {
  const reduction = { savedTokens: 20_000, rewrittenTokens: 18_000 };
  const dear = { ...grown().ledger, bill: grown().ledger.rawBill };
  const one = grown({ ledger: dear, calls: callsOf(Array.from({ length: 39 }, () => 40_000)) });
  expect(judge(reduction, one, { tolerance: 0, credit: 1_000 })).toBe('not-insured');
  expect(judge(reduction, one, { tolerance: 0.3, credit: 0 })).toBe('rent');
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

/** What it costs if the rule decides. */
function costOfRule(steps: readonly number[], target: number): number {
  let sizes: number[] = [];
  return costOf(steps, target, (call, size) => {
    const kept = Math.max(target, steps[call] as number);
    const rewrittenTokens = Math.max(0, target - (steps[call] as number));
    const situation = { ...open, ledger: nothing, tokens: size, calls: callsOf(sizes) };
    const { act } = decide(stage, { savedTokens: size - kept, rewrittenTokens }, view, situation);
    sizes = act ? [kept] : [...sizes, size];
    return act;
  });
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

/** What nobody can avoid who keeps `target` tokens: each token is written once, and at each call the rest of the target is read. */
function floorOf(steps: readonly number[], target: number): number {
  let [floor, held] = [0, 0];
  for (const step of steps) {
    floor += prices.write * step + prices.read * Math.max(0, Math.min(held, target - step));
    held += step;
  }
  return floor;
}

const smallSession = fc.array(
  fc.oneof(fc.integer({ min: 0, max: 4_000 }), fc.integer({ min: 0, max: 30_000 }), fc.constant(0)),
  { minLength: 2, maxLength: 10 },
);

test('the rule costs at most twice what the best choice of moments costs, and twice what nobody can avoid', () => {
  fc.assert(
    fc.property(smallSession, fc.integer({ min: 500, max: 12_000 }), (steps, target) => {
      const [cost, best, floor] = [costOfRule(steps, target), cheapest(steps, target), floorOf(steps, target)];
      expect(floor).toBeLessThanOrEqual(best + 1e-6);
      expect(best).toBeLessThanOrEqual(cost + 1e-6);
      expect(cost).toBeLessThanOrEqual(2 * floor + 1e-6);
    }),
    { seed: 11, numRuns: 400 },
  );
});

test('a search for the worst session finds none over twice the best choice', () => {
  let seed = 7;
  const random = (below: number): number =>
    Math.floor(((seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647) * below);
  const target = 10_000;
  const regret = (steps: readonly number[]): number => costOfRule(steps, target) / cheapest(steps, target);
  let worst = 0;
  for (let start = 0; start < 8; start++) {
    let steps: readonly number[] = Array.from({ length: 10 }, () => random(random(3) === 0 ? 30_000 : 3_000));
    let found = regret(steps);
    for (let tried = 0; tried < 150; tried++) {
      const place = random(steps.length);
      const size = [random(30_000), 0, Math.floor(((steps[place] as number) * (50 + random(100))) / 100)][random(3)];
      const next = steps.with(place, size as number);
      const one = regret(next);
      if (one >= found) [steps, found] = [next, one];
    }
    worst = Math.max(worst, found);
  }
  expect(worst).toBeLessThanOrEqual(2);
  // The search does find bad sessions: decision 53 names the worst of a longer one.
  expect(worst).toBeGreaterThan(1.3);
});

test('above what nobody can avoid, the rule may cost many times what the best choice costs', () => {
  // When the newest step is larger than the target, nothing old is written again; the rule finds so little rent that it misses that.
  const steps = [12_642, 8_441, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const target = 10_000;
  const floor = floorOf(steps, target);
  expect(costOfRule(steps, target) - floor).toBeGreaterThan(5 * (cheapest(steps, target) - floor));
  expect(costOfRule(steps, target) / cheapest(steps, target)).toBeCloseTo(1.54, 2);
});

/** Old text, and a newest message. */
function fullView(): View {
  const log = logBuilder();
  log.user('word '.repeat(4_000));
  log.agent('done');
  log.user('next');
  return View.fromEvents(log.events);
}
const full = fullView();

test('a request and a view that does not fit are answered at any price, but a view that cannot fit waits', () => {
  const dear = { savedTokens: 10, rewrittenTokens: 30_000 };
  const reasonIn = (changes: Partial<typeof room>, savedTokens = 10): string =>
    decide(stage, { ...dear, savedTokens }, full, grown({ room: { ...room, tokens: 100, ...changes } })).reason;
  expect(reasonIn({})).toBe('not-due');
  expect(reasonIn({ isRequested: true, isExceeded: true, isWaiting: true })).toBe('request');
  expect(reasonIn({ isExceeded: true })).toBe('tokens');
  expect(reasonIn({ isExceeded: true, isWaiting: true })).toBe('waits-for-room');
  expect(reasonIn({ isExceeded: true, isWaiting: true }, full.tokens() - 100)).toBe('tokens');
  expect(reasonIn({ isExceeded: true, isWaiting: true }, full.tokens() - 101)).toBe('waits-for-room');
  expect(decide(stage, undefined, full, grown({ room: { ...room, isRequested: true } })).act).toBe(false);
});

test('after the condensation of another stage, only what gains nothing by waiting goes along, and only where all is rewritten', () => {
  const reasonFor = (savedShare: number, cached: number): string => {
    const situation = grown({ mayPay: false, ledger: { ...nothing, cached } });
    return decide(stage, { savedTokens: 1_000, rewrittenTokens: 500, savedShare }, full, situation).reason;
  };
  const untouched = full.tokens(0, newestStep(full).start) - 1_500;
  expect(reasonFor(0, untouched)).toBe('rewritten');
  expect(reasonFor(0, untouched + 1)).toBe('not-due');
  expect(reasonFor(0.5, untouched)).toBe('not-due');
});

test('a reducer that is known to be unable is not tried because it would pay; a condensation that is made is taken', () => {
  const log = logBuilder();
  log.user('task');
  const data = { condenser: 'priced/stage', events: 1 };
  log.add(log.create('condensation-attempt', { condenser: 'priced', outcome: 'unavailable', reason: 'none', data }));
  const known = View.fromEvents(log.events);
  const reducer: Reducer = { ...stage, estimate: () => undefined, reduce: () => Promise.reject(new Error('unused')) };
  const reduction = { savedTokens: 10_000, rewrittenTokens: 1_000 };
  expect(decide(reducer, reduction, known, grown({ view: known })).reason).toBe('known-unavailable');
  expect(decide(stage, reduction, known, grown({ view: known })).reason).toBe('rent');
  expect(decide(reducer, reduction, known, grown({ view: known, room: { ...room, isExceeded: true } })).reason).toBe(
    'tokens',
  );
});
