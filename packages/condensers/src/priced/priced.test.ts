import { fc, test as property } from '@fast-check/vitest';
import type { Condensation, Event } from '@palimpsest/events';
import { eventFactory } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { isCondensation, NoCondensationAvailableError, View, ViewProjection } from '@palimpsest/view';
import type { CondenseContext, Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { InvalidCondenserConfigError } from '../authoring/errors.js';
import { extractiveSummaryCondenser } from '../extractive-summary/extractive-summary.js';
import { noOpCondenser } from '../no-op/no-op.js';
import { observationMaskingCondenser } from '../observation-masking/observation-masking.js';
import { recentEventsCondenser } from '../recent-events/recent-events.js';
import { costOfRequest, ledgerOf } from './ledger.js';
import { pricedCondenser } from './priced.js';

const prices = { read: 0.1, write: 1.25 };

function stage(targetTokens = 6_000): Condenser {
  return extractiveSummaryCondenser({ maxSize: 100_000, keepFirst: 1, targetTokens, maxSummaryTokens: 600 });
}

/** Steps of a coding session: each reads a file of so many lines. */
function session(lines: readonly number[]): readonly Event[] {
  const log = logBuilder();
  log.system();
  log.user('Make the parser accept comments.');
  for (const [step, count] of lines.entries())
    log.call('read_file', { path: `src/part-${step}.ts` }, `export const part${step} = ${step};\n`.repeat(count));
  return log.events;
}

interface Run {
  readonly condensations: readonly (Condensation & { readonly step: number })[];
  readonly projection: ViewProjection;
  /** What the calls have cost, as the view estimates. */
  readonly bill: number;
  readonly rawBill: number;
}

/** Asks before each model call. Each session event that a model made is the answer to one. */
async function run(events: readonly Event[], condenser: Condenser, context: CondenseContext = {}): Promise<Run> {
  const projection = new ViewProjection();
  const raw = new ViewProjection();
  const condensations: (Condensation & { step: number })[] = [];
  let [bill, rawBill, rawSize] = [0, 0, 0];
  let before: readonly string[] = [];
  for (const [step, event] of events.entries()) {
    if (event.type === 'action') {
      for (let round = 0; round < 3; round++) {
        const result = await condenser.condense(projection.view, { prices, ...context });
        if (!isCondensation(result)) break;
        condensations.push({ ...result, step });
        projection.append(result);
      }
      const { view } = projection;
      const ids = view.events.slice().map(({ id }) => id);
      const same = ids.findIndex((id, index) => id !== before[index]);
      const cached = view.tokens(0, same === -1 ? ids.length : same);
      bill += costOfRequest(view.tokens(), before.length === 0 ? 0 : cached, prices);
      rawBill += costOfRequest(raw.view.tokens(), rawSize, prices);
      before = ids;
      rawSize = raw.view.tokens();
    }
    projection.append(event);
    raw.append(event);
  }
  return { condensations, projection, bill, rawBill };
}

const long = session(Array.from({ length: 120 }, () => 80));

test('condenses a long session when it pays, and says why', async () => {
  const { condensations, bill, rawBill } = await run(long, pricedCondenser({ stages: [stage()] }));
  expect(condensations.length).toBeGreaterThan(1);
  expect(bill).toBeLessThan(0.6 * rawBill);
  for (const { metadata } of condensations)
    expect(metadata).toMatchObject({ condenser: 'extractiveSummary', stage: 'extractiveSummary', reason: 'rent' });
});

test('the ledger agrees with what the calls cost', async () => {
  const { projection, bill, rawBill, condensations } = await run(long, pricedCondenser({ stages: [stage()] }));
  const ledger = ledgerOf(projection.view, prices, 0);
  expect(ledger.calls).toBe(120);
  expect(ledger.bill / bill).toBeCloseTo(1, 1);
  expect(ledger.rawBill / rawBill).toBeCloseTo(1, 1);
  expect(condensations.at(-1)?.metadata?.['ledger']).toMatchObject({ calls: expect.any(Number) });
});

test('cheap reading means fewer condensations', async () => {
  const count = async (read: number) =>
    (await run(long, pricedCondenser({ stages: [stage()] }), { prices: { read, write: 1.25 } })).condensations.length;
  expect(await count(0.1)).toBeGreaterThan(await count(0.025));
  expect(await count(0.025)).toBeGreaterThan(0);
});

test('a short session is left alone', async () => {
  const { condensations } = await run(session([80, 80, 80]), pricedCondenser({ stages: [stage()] }));
  expect(condensations).toEqual([]);
});

property.prop([fc.array(fc.integer({ min: 1, max: 250 }), { minLength: 2, maxLength: 30 })], { seed: 5, numRuns: 40 })(
  'a session never costs more than the tolerance and the credit above doing nothing',
  async (lines) => {
    const { bill, rawBill } = await run(session(lines), pricedCondenser({ stages: [stage(3_000)], credit: 0 }));
    // The next call after the last condensation is not seen by the view's estimate of ids: a small rest is allowed.
    expect(bill).toBeLessThanOrEqual(1.02 * rawBill + 1);
  },
);

property.prop([fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 5, maxLength: 40 })], { seed: 7, numRuns: 25 })(
  'a restart before any call decides alike',
  async (lines) => {
    const createEvent = eventFactory({ newId: () => 'same', now: () => new Date(0) });
    const create = () => pricedCondenser({ stages: [stage(3_000)] });
    const live = create();
    const projection = new ViewProjection();
    const log: Event[] = [];
    const append = (event: Event): void => {
      projection.append(event);
      log.push(event);
    };
    for (const event of session(lines)) {
      if (event.type === 'action') {
        const result = await live.condense(projection.view, { prices });
        const again = await create().condense(View.fromEvents(log), { prices });
        expect(isCondensation(again)).toBe(isCondensation(result));
        if (isCondensation(result) && isCondensation(again)) {
          expect({ ...again, id: '', timestamp: '' }).toEqual({ ...result, id: '', timestamp: '' });
          append({ ...createEvent('condensation', { ...result }), id: result.id });
        }
      }
      append(event);
    }
  },
);

test('a step at which nothing happens writes nothing', async () => {
  const reports: unknown[] = [];
  const condenser = pricedCondenser({ stages: [stage()] });
  const view = View.fromEvents(session([80, 80, 80]));
  expect(await condenser.condense(view, { report: (attempt) => void reports.push(attempt) })).toBe(view);
  expect(reports).toEqual([]);
});

test('an idle conversation whose cache is cold is condensed at once', async () => {
  const events = session(Array.from({ length: 14 }, () => 80));
  const view = View.fromEvents(events);
  const condenser = pricedCondenser({ stages: [stage()], tolerance: 0.02 });
  const answeredAt = Date.parse(events.at(-1)?.timestamp ?? '');
  const later = (ms: number) => new Date(answeredAt + ms).toISOString();
  const context = { prices: { read: 0.01, write: 1.25 }, cacheLifeMs: 300_000 };
  expect(isCondensation(await condenser.condense(view, { ...context, now: later(299_000) }))).toBe(false);
  const result = await condenser.condense(view, { ...context, now: later(301_000) });
  expect(isCondensation(result) && result.metadata?.['reason']).toBe('cold');
});

test('the window and a request are no matter of prices', async () => {
  const view = View.fromEvents(session(Array.from({ length: 12 }, () => 80)));
  const condenser = pricedCondenser({ stages: [stage()], tolerance: 0, credit: 0 });
  const context = { prices: { read: 0.0001, write: 1.25 } };
  expect(await condenser.condense(view, context)).toBe(view);
  const result = await condenser.condense(view, { ...context, contextWindow: Math.floor(view.tokens() * 0.9) });
  expect(isCondensation(result) && result.metadata?.['reason']).toBe('tokens');
});

test('a request with nothing to condense is refused as any condenser refuses it', async () => {
  const log = logBuilder();
  log.user('Hello.');
  const events = [...log.events, eventFactory()('condensation-request', { source: 'user' })];
  const condenser = pricedCondenser({ stages: [stage()] });
  await expect(async () => condenser.condense(View.fromEvents(events), {})).rejects.toThrow(
    NoCondensationAvailableError,
  );
});

test('a stage that cannot say what it would save is asked, and its condensation dropped when it does not pay', async () => {
  const asked = observationMaskingCondenser({ attentionWindow: 4, minSavedTokens: 500 });
  const alone = await run(long, asked, { prices: { read: 0.02, write: 1.25 } });
  const paid = await run(long, pricedCondenser({ stages: [asked] }), { prices: { read: 0.02, write: 1.25 } });
  expect(alone.condensations.length).toBeGreaterThan(paid.condensations.length);
});

test('a stage that returns another view is passed on', async () => {
  const condenser = pricedCondenser({ stages: [recentEventsCondenser({ maxSize: 10 })] });
  expect(condenser.rewritesEveryStep).toBe(true);
  const view = View.fromEvents(long);
  const result = await condenser.condense(view, {});
  expect(isCondensation(result)).toBe(false);
  expect((result as View).events.length).toBeLessThan(view.events.length);
});

test('a preview changes nothing', async () => {
  const view = View.fromEvents(long);
  expect(await pricedCondenser({ preset: 'noCache' }).condense(view, { preview: true })).toBe(view);
});

test.each([
  [{ stages: [] }, 'empty list'],
  [{ stages: [noOpCondenser()], preset: 'cheapest' }, 'preset'],
  [{ preset: 'dearest' }, 'must be one of balanced, cheapest, remembersMost, noCache'],
  [{ tolerance: -1 }, 'tolerance'],
  [{ stages: [noOpCondenser], preset: undefined }, 'is a function'],
  [{ prices: { read: 1 } }, 'write'],
])('%j is refused', (options, message) => {
  expect(() => pricedCondenser(options as never)).toThrow(InvalidCondenserConfigError);
  expect(() => pricedCondenser(options as never)).toThrow(message);
});
