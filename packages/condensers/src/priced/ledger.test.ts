import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { condensation, isCondensation, View, ViewProjection } from '@palimpsest/view';
import type { CondenseContext } from '@palimpsest/view';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extractiveSummaryCondenser } from '../digest/extractive-summary.js';
import { observationMaskingCondenser } from '../observation-masking/observation-masking.js';
import { costOfRequest, isCacheUnread, ledgerOf } from './ledger.js';
import { pricedCondenser } from './priced.js';

const prices = { read: 0.1, write: 1.25 };

/** One step of a session: the lines that it reads, and what happens before it. */
interface Step {
  readonly lines: number;
  readonly other: 'nothing' | 'forget' | 'mask' | 'revert' | 'restart';
}

const steps = (others: readonly Step['other'][]): fc.Arbitrary<readonly Step[]> =>
  fc.array(
    fc.record({
      lines: fc.integer({ min: 1, max: 220 }),
      other: fc.oneof({ weight: 8, arbitrary: fc.constant('nothing' as const) }, fc.constantFrom(...others)),
    }),
    { minLength: 5, maxLength: 45 },
  );

/** What the calls have sent, measured beside the ledger. */
interface Metered {
  readonly view: View;
  readonly log: readonly Event[];
  readonly bill: number;
  readonly rawBill: number;
  readonly rawTokens: number;
  readonly condensations: number;
}

/** Runs a session and meters each of its calls by the longest common prefix. */
async function metered(session: readonly Step[], fixed: number): Promise<Metered> {
  const condenser = pricedCondenser({
    stages: [
      extractiveSummaryCondenser({ maxSize: 100_000, keepFirst: 1, targetTokens: 3_000, maxSummaryTokens: 500 }),
    ],
  });
  const context: CondenseContext = { prices, fixedTokens: fixed };
  const log = logBuilder();
  let projection = new ViewProjection();
  const raw = new ViewProjection();
  let read = 0;
  const catchUp = (): void => {
    for (const event of log.events.slice(read)) {
      projection.append(event);
      if (event.type !== 'condensation' && event.type !== 'condensation-revert') raw.append(event);
    }
    read = log.events.length;
  };
  log.system();
  log.user('Make the parser accept comments.');
  let [bill, rawBill, condensations] = [0, 0, 0];
  let before: readonly string[] = [];
  let rawBefore = 0;
  for (const [step, { lines, other }] of session.entries()) {
    catchUp();
    const { view } = projection;
    if (other === 'forget' && view.events.length > 8) log.add(condensation({ view, start: 2, end: 6 }));
    if (other === 'mask') {
      const masks = await observationMaskingCondenser({ attentionWindow: 2, minSavedTokens: 100 }).condense(view, {});
      if (isCondensation(masks)) log.add(masks);
    }
    const last = view.condensations.at(-1);
    if (other === 'revert' && last !== undefined) log.revert(last);
    if (other === 'restart') {
      projection = new ViewProjection();
      for (const event of log.events.slice(0, read)) projection.append(event);
    }
    catchUp();
    const result = await condenser.condense(projection.view, context);
    if (isCondensation(result)) {
      log.add(result);
      condensations++;
    }
    catchUp();
    const events = projection.view.events.slice().map((event) => `${event.id} ${view.tokensOf(event)}`);
    const same = events.findIndex((event, index) => event !== before[index]);
    const cached = before.length === 0 ? 0 : fixed + projection.view.tokens(0, same === -1 ? events.length : same);
    bill += costOfRequest(fixed + projection.view.tokens(), cached, prices);
    rawBill += costOfRequest(fixed + raw.view.tokens(), rawBefore, prices);
    before = events;
    rawBefore = fixed + raw.view.tokens();
    log.call('read_file', { path: `src/part-${step}.ts` }, `export const part${step} = ${step};\n`.repeat(lines));
  }
  catchUp();
  const { view } = projection;
  return { view, log: log.events, bill, rawBill, rawTokens: raw.view.tokens(), condensations };
}

test('agrees with a meter of what was sent, with several condensations and what is sent beside the view', () =>
  fc.assert(
    fc.asyncProperty(steps(['restart']), fc.integer({ min: 0, max: 8_000 }), async (session, fixed) => {
      const { view, bill, rawBill, rawTokens } = await metered(session, fixed);
      const ledger = ledgerOf(view, prices, fixed);
      expect(ledger.calls).toBe(session.length);
      expect(ledger.hidden).toBeCloseTo(rawTokens - view.tokens(), 5);
      expect(ledger.rawBill / rawBill).toBeCloseTo(1, 5);
      expect(Math.abs(ledger.bill / bill - 1)).toBeLessThan(0.03);
    }),
    { seed: 21, numRuns: 60 },
  ));

test('with condensations of others and reverted ones, it knows what is hidden and stays near the meter', () =>
  fc.assert(
    fc.asyncProperty(steps(['forget', 'mask', 'revert', 'restart']), async (session) => {
      const { view, bill, rawBill, rawTokens } = await metered(session, 2_000);
      const ledger = ledgerOf(view, prices, 2_000);
      expect(ledger.hidden).toBeCloseTo(rawTokens - view.tokens(), 5);
      expect(Math.abs(ledger.rawBill / rawBill - 1)).toBeLessThan(0.4);
      expect(Math.abs(ledger.bill / bill - 1)).toBeLessThan(0.4);
    }),
    { seed: 22, numRuns: 80 },
  ));

test('is the same step by step, after a restart and in a fork', () =>
  fc.assert(
    fc.asyncProperty(steps(['forget', 'mask', 'revert']), async (session) => {
      const { log } = await metered(session, 2_000);
      const projection = new ViewProjection();
      for (const [index, event] of log.entries()) {
        projection.append(event);
        if (event.type !== 'observation') continue;
        const stepByStep = ledgerOf(projection.view, prices, 2_000);
        if (index % 7 === 0)
          expect(ledgerOf(View.fromEvents(log.slice(0, index + 1)), prices, 2_000)).toEqual(stepByStep);
      }
      const { view } = projection;
      const ledger = ledgerOf(view, prices, 2_000);
      // An older view of the same list, asked after a newer one.
      const older = View.fromEvents(log.slice(0, -2));
      projection.append({ ...(log.at(-1) as Event), id: 'one-more' });
      ledgerOf(projection.view, prices, 2_000);
      expect(ledgerOf(view, prices, 2_000)).toEqual(ledger);
      expect(ledgerOf(older, prices, 2_000).calls).toBeLessThanOrEqual(ledger.calls);
    }),
    { seed: 23, numRuns: 60 },
  ));

test('what is sent beside the view is no hidden text when its estimate changes', () => {
  const log = logBuilder();
  log.user('Go.');
  for (let step = 0; step < 20; step++) log.call('read_file', { path: 'a.ts' }, 'text '.repeat(300));
  const view = View.fromEvents(log.events);
  expect(ledgerOf(view, prices, 9_000).hidden).toBe(0);
  const metadata = { ledger: { ...ledgerOf(view, prices, 9_000) } };
  log.condensation([log.events[2]?.id ?? '', log.events[1]?.id ?? ''], { metadata });
  expect(ledgerOf(View.fromEvents(log.events), prices, 4_000).hidden).toBe(0);
});

test.each([
  ['no ledger', {}],
  ['a list', { ledger: [] }],
  [
    'a negative bill',
    { ledger: { calls: 1, bill: -1, rawBill: 1, cached: 1, rawCached: 1, hidden: 1, isCold: false } },
  ],
  ['prototype keys', JSON.parse('{"ledger":{"__proto__":{"calls":1,"bill":1}},"__proto__":{"ledger":1}}')],
])('metadata with %s is no ledger', (_, metadata) => {
  const log = logBuilder();
  log.user('Go.');
  for (let step = 0; step < 4; step++) log.call('read_file', { path: 'a.ts' }, 'text '.repeat(300));
  log.condensation([log.events[2]?.id ?? '', log.events[1]?.id ?? ''], { metadata });
  const { calls, bill } = ledgerOf(View.fromEvents(log.events), prices, 0);
  expect(calls).toBe(3);
  expect(bill).toBeGreaterThan(0);
});

interface Answer {
  readonly read?: number;
  readonly size?: number;
  readonly model?: string;
  readonly isEstimated?: boolean;
  readonly isRewritten?: boolean;
}

/** The view after each answer of an agent, with what the provider reported; the first is before any. */
function viewsOf(answers: readonly Answer[]): readonly View[] {
  const log = logBuilder();
  const lengths: number[] = [];
  log.user('Read on.');
  lengths.push(log.events.length);
  answers.forEach(({ read = 0, size = 20_000, model = 'm', isEstimated, isRewritten }, step) => {
    if (isRewritten === true) log.condensation([], { redactions: [] });
    const usage = {
      uncachedInputTokens: size - read,
      cacheReadTokens: read,
      cacheWriteTokens: 0,
      outputTokens: 50,
    };
    log.usage({ usage, model, purpose: 'agent', ...(isEstimated === true ? { usageIsEstimated: true } : {}) });
    log.call('read_file', { path: `src/${step}.ts` }, `export const part${step} = ${step};\n`.repeat(120));
    lengths.push(log.events.length);
  });
  return lengths.map((length) => View.fromEvents(log.events.slice(0, length)));
}

const unread = (answers: readonly Answer[]) => isCacheUnread(viewsOf(answers).at(-1) as View, {});
const misses = (count: number, answer: Answer = {}): readonly Answer[] => Array.from({ length: count }, () => answer);

test('three answers in a row that should have read and did not, until one reads', () => {
  expect(unread([])).toBe(false);
  expect(unread(misses(3))).toBe(false);
  expect(unread(misses(4))).toBe(true);
  expect(unread([...misses(9), { read: 15_000 }])).toBe(false);
  expect(unread([...misses(9), { read: 15_000 }, ...misses(3)])).toBe(true);
});

test('what could not have been read says nothing', () => {
  expect(unread(misses(9, { size: 3_000 }))).toBe(false);
  expect(unread(misses(9, { isEstimated: true }))).toBe(false);
  expect(unread(misses(9, { isRewritten: true }))).toBe(false);
  expect(unread(Array.from({ length: 9 }, (_, index) => ({ model: `m${index % 2}` })))).toBe(false);
});

test('priced then acts as without a cache, and as before when the cache reads again', async () => {
  const stepsToAct = async (answers: readonly Answer[]) => {
    for (const [count, view] of viewsOf(answers).entries()) {
      const made = await pricedCondenser({ preset: 'cheapest' }).condense(view, {
        prices: { read: 0.025, write: 1.25 },
      });
      if (isCondensation(made)) return count;
    }
    return Infinity;
  };
  const withCache = await stepsToAct(Array.from({ length: 60 }, () => ({ read: 19_000 })));
  const without = await stepsToAct(misses(60));
  expect(without).toBeGreaterThan(3);
  expect(without).toBeLessThan(withCache);
  expect(await stepsToAct(Array.from({ length: 60 }, (_, index) => ({ read: index < 3 ? 0 : 19_000 })))).toBe(
    withCache,
  );
});
