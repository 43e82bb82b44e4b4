import { eventFactory } from '@palimpsest/events';
import type { Condensation, Event, ObservationEvent, Usage } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { condensation, isCondensation, NoCondensationAvailableError, View, ViewProjection } from '@palimpsest/view';
import type { AttemptReport, CondenseContext, Condenser, Reducer } from '@palimpsest/view';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { extractiveSummaryCondenser } from '../digest/extractive-summary.js';
import { llmSummarizingCondenser } from '../llm-summarizing/llm-summarizing.js';
import { noOpCondenser } from '../no-op/no-op.js';
import { observationMaskingCondenser } from '../observation-masking/observation-masking.js';
import { pipelineCondenser } from '../pipeline/pipeline.js';
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
      const ids = view.events.slice().map((event) => `${event.id} ${view.tokensOf(event)}`);
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

/** Prices at which a cached token costs half. */
const half = { read: 0.5, write: 1 };

test('leaves a view within its target as it is, also where a cached token costs half', async () => {
  const { condensations } = await run(long, pricedCondenser({ prices: half }));
  const sizes = condensations.map(({ metadata }) => Number(metadata?.['tokensBefore']));
  expect(sizes.length).toBeGreaterThan(1);
  expect(Math.min(...sizes)).toBeGreaterThan(12_000);
});

test('what always stays is no part of the target', async () => {
  const log = logBuilder();
  log.system('A rule that stays. '.repeat(3_000));
  for (const event of session(Array.from({ length: 18 }, () => 80)).slice(1)) log.add(event);
  expect((await run(log.events, pricedCondenser({ prices: half }))).condensations).toEqual([]);
});

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

test('a session never costs more than the tolerance and the credit above doing nothing', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 250 }), { minLength: 2, maxLength: 30 }), async (lines) => {
      const { bill, rawBill } = await run(session(lines), pricedCondenser({ stages: [stage(3_000)], credit: 0 }));
      // The next call after the last condensation is not seen by the view's estimate of ids: a small rest is allowed.
      expect(bill).toBeLessThanOrEqual(1.02 * rawBill + 1);
    }),
    { seed: 5, numRuns: 40 },
  ));

test('a restart before any call decides alike', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 5, maxLength: 40 }), async (lines) => {
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
    }),
    { seed: 7, numRuns: 25 },
  ));

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

test('a history does not grow on when what is sent beside it fills the window', async () => {
  const context = { contextWindow: 200_000, fixedTokens: 195_000 };
  const { projection, condensations } = await run(long, pricedCondenser(), context);
  // No condensation makes room, so each waits longer than the one before, at most 32 calls.
  expect(projection.view.tokens()).toBeLessThan(25_000);
  expect(condensations.length).toBeLessThan(12);
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
  const { name, condense } = observationMaskingCondenser({ attentionWindow: 4, minSavedTokens: 500 });
  const asked = { name, condense };
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

test('what the user pasted stays, so it is not counted as saved again and again', async () => {
  const log = logBuilder();
  log.system();
  log.user('Make the parser accept comments.');
  log.call('read_file', { path: 'src/a.ts' }, 'text');
  log.user('This is the log: '.repeat(10_000));
  for (let step = 0; step < 100; step++)
    log.call('read_file', { path: `src/part-${step}.ts` }, `export const part${step} = ${step};\n`.repeat(80));
  const reports: AttemptReport[] = [];
  const context: CondenseContext = { report: (report) => void reports.push(report) };
  for (const preset of ['balanced', 'cheapest', 'remembersMost'] as const) {
    const { condensations, bill, rawBill } = await run(log.events, pricedCondenser({ preset }), context);
    expect(condensations.length).toBeLessThan(6);
    expect(bill).toBeLessThan(0.95 * rawBill);
  }
  // The cache is cold at each step.
  const { condensations } = await run(log.events, pricedCondenser(), { ...context, cacheLifeMs: 0 });
  expect(condensations.length).toBeLessThan(10);
  expect(new Set(condensations.map(({ step }) => step)).size).toBe(condensations.length);
  expect(reports).toEqual([]);
});

/** A reducer that promises to halve the view. */
function promising(reduce: Reducer['reduce']): Reducer {
  return {
    name: 'promising',
    condense: (view) => view,
    estimate: (view) => ({ savedTokens: view.tokens() / 2, rewrittenTokens: 0 }),
    reduce,
  };
}

test('a reducer that cannot keep its promise is reported once in a while and not asked at each step', async () => {
  for (const reduce of [
    (): never => {
      throw new NoCondensationAvailableError('nothing to forget');
    },
    (): Condensation => eventFactory()('condensation', { forgottenEventIds: [], summary: 'Longer than nothing.' }),
  ]) {
    let asked = 0;
    const condenser = pricedCondenser({ stages: [promising(() => (asked++, reduce())), noOpCondenser()] });
    const projection = new ViewProjection();
    const createEvent = eventFactory();
    for (const event of long) {
      projection.append(event);
      if (event.type !== 'observation') continue;
      const report = (attempt: AttemptReport) =>
        projection.append(createEvent('condensation-attempt', { ...attempt, condenser: 'priced' } as never));
      expect(isCondensation(await condenser.condense(projection.view, { prices, report }))).toBe(false);
    }
    const reports = projection.view.internalEvents.slice().filter(({ type }) => type === 'condensation-attempt');
    expect(reports.length).toBeGreaterThan(0);
    expect(reports.length).toBeLessThan(6);
    expect(asked).toBe(reports.length);
  }
});

test('an error of a stage is not swallowed, and an abort reaches a slow one', async () => {
  const view = View.fromEvents(long);
  const failing = promising(() => {
    throw new TypeError('broken');
  });
  await expect(async () => pricedCondenser({ stages: [failing] }).condense(view, { prices })).rejects.toThrow('broken');
  const controller = new AbortController();
  const slow = promising(
    (_, { signal }) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error))),
  );
  const waiting = pricedCondenser({ stages: [slow] }).condense(view, { prices, signal: controller.signal });
  controller.abort(new Error('stopped'));
  await expect(async () => waiting).rejects.toThrow('stopped');
  await expect(async () =>
    pricedCondenser({ stages: [stage()] }).condense(view, { prices, signal: controller.signal }),
  ).rejects.toThrow('stopped');
});

test('a condensation for which a model was asked is not dropped: each call of the model is used', async () => {
  const llm = scriptedLLM({ script: () => 'SUMMARY' });
  const summarizing = llmSummarizingCondenser({ llm, maxSize: 20, keepFirst: 2 });
  const condenser = pricedCondenser({ stages: [summarizing], tolerance: 0, credit: 0 });
  const { condensations, projection } = await run(long, condenser, { prices: { read: 0.000_1, write: 1.25 } });
  expect(condensations.length).toBeGreaterThan(5);
  expect(llm.requests).toHaveLength(condensations.length);
  expect(condensations[0]?.metadata).toMatchObject({ reason: 'events', stage: 'llmSummarizing' });
  const free = ledgerOf(projection.view, prices, 0);
  expect(free.bill).toBeGreaterThan(0);
});

test('another priced condenser is refused as a stage, in a pipeline too', () => {
  const inner = pricedCondenser({ stages: [stage()] });
  for (const nested of [inner, { ...inner }, pipelineCondenser([noOpCondenser(), pipelineCondenser([inner])])]) {
    expect(() => pricedCondenser({ stages: [stage(), nested] })).toThrow(InvalidCondenserConfigError);
    expect(() => pricedCondenser({ stages: [stage(), nested] })).toThrow('list its stages here instead');
  }
});

/** Whether the ledger says what the calls have cost. */
async function expectRightLedger(condenser: Condenser, others: { readonly paid?: () => number } = {}): Promise<Run> {
  const done = await run(long, condenser);
  const { view } = done.projection;
  const ledger = ledgerOf(view, prices, 0);
  const paid = others.paid?.() ?? 0;
  expect(done.condensations.length).toBeGreaterThan(0);
  expect(ledger.calls).toBe(120);
  expect(Math.abs(ledger.bill / (done.bill + paid) - 1)).toBeLessThan(0.05);
  expect(Math.abs(ledger.rawBill / done.rawBill - 1)).toBeLessThan(0.01);
  return done;
}

/** What the calls of a model have cost, by the usage that it reports. */
function paidFor(condensations: readonly Condensation[]): number {
  return condensations.reduce((sum, { metadata }) => {
    const usage = metadata?.['usage'] as Usage | undefined;
    return usage === undefined ? sum : sum + usage.uncachedInputTokens + 5 * usage.outputTokens;
  }, 0);
}

describe('the ledger is right', () => {
  test('with a pipeline inside', async () => {
    const masks = observationMaskingCondenser({ attentionWindow: 4, minSavedTokens: 500 });
    const { condensations, bill, rawBill } = await expectRightLedger(
      pricedCondenser({ stages: [pipelineCondenser([noOpCondenser(), masks])] }),
    );
    expect(bill).toBeLessThan(rawBill);
    expect(condensations[0]?.metadata).toMatchObject({ stage: 'pipeline/observationMasking' });
  });

  test('inside a pipeline', async () => {
    const { condensations } = await expectRightLedger(
      pipelineCondenser([noOpCondenser(), pricedCondenser({ stages: [stage()] })]),
    );
    expect(condensations[0]?.metadata).toMatchObject({ stage: 'priced/extractiveSummary', reason: 'rent' });
  });

  test('with a stage of somebody else that has no estimate and returns what it likes', async () => {
    const createEvent = eventFactory();
    const oldest: Condenser = {
      name: 'oldest',
      condense: (view) => {
        const end = view.cutPoints.atOrBefore(view.events.length - 8) ?? 0;
        return end > 20 ? condensation({ view, start: 2, end, createEvent }) : view;
      },
    };
    const { bill, rawBill } = await expectRightLedger(pricedCondenser({ stages: [oldest] }));
    expect(bill).toBeLessThan(rawBill);
  });

  test('with a reducer that asks a model and names a ceiling', async () => {
    const made: Condensation[] = [];
    const asking = (modelInputTokens: number, modelOutputTokens: number): Reducer => ({
      name: 'asking',
      condense: (view) => view,
      estimate: (view) => {
        const end = view.cutPoints.atOrBefore(view.events.length - 8) ?? 0;
        const savedTokens = end > 2 ? view.tokens(2, end) - 100 : 0;
        const rewrittenTokens = view.tokens(Math.max(2, end)) + 100;
        return { savedTokens, rewrittenTokens, modelInputTokens, modelOutputTokens };
      },
      reduce: (view) => {
        const end = view.cutPoints.atOrBefore(view.events.length - 8) ?? 0;
        const usage = { uncachedInputTokens: 2_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 100 };
        const one = condensation({ view, start: 2, end, summary: 'S', metadata: { usage } });
        made.push(one);
        return one;
      },
    });
    await expectRightLedger(pricedCondenser({ stages: [asking(2_000, 100)] }), { paid: () => paidFor(made) });
    const cheap = made.length;
    expect(cheap).toBeGreaterThan(2);
    made.length = 0;
    // A higher ceiling is a higher price, so it acts less often.
    await run(long, pricedCondenser({ stages: [asking(40_000, 2_000)] }));
    expect(made.length).toBeLessThan(cheap);
  });

  test('with a stage that asks a model in the background', async () => {
    const llm = scriptedLLM({ script: () => 'SUMMARY' });
    const summarizing = llmSummarizingCondenser({ llm, maxSize: 30, keepFirst: 2, background: true });
    const done: { value?: Run } = {};
    const condenser = pricedCondenser({ stages: [summarizing] });
    done.value = await run(long, condenser);
    const { condensations, projection, bill } = done.value;
    expect(condensations.length).toBeGreaterThan(2);
    expect(condensations[0]?.metadata).toMatchObject({ background: true, stage: 'llmSummarizing' });
    const ledger = ledgerOf(projection.view, prices, 0);
    expect(Math.abs(ledger.bill / (bill + paidFor(condensations)) - 1)).toBeLessThan(0.05);
  });
});

test.each([
  { read: NaN, write: 1.25 },
  { read: -1, write: Infinity },
  { read: undefined, write: undefined },
])('prices %j count as not stated', async (odd) => {
  const withOdd = await run(long, pricedCondenser({ stages: [stage()] }), { prices: odd as never });
  const withUsual = await run(long, pricedCondenser({ stages: [stage()] }), { prices: { read: 0.05, write: 1.25 } });
  expect(withOdd.condensations.map(({ step }) => step)).toEqual(withUsual.condensations.map(({ step }) => step));
});

test('the ledger leaves out what another stage has hidden at this step alone', async () => {
  const stages = [recentEventsCondenser({ maxSize: 60 }), stage()];
  const context = { prices, fixedTokens: 5_000 };
  const result = await pricedCondenser({ stages }).condense(View.fromEvents(long), context);
  if (!isCondensation(result)) throw new Error('nothing was condensed');
  const { cached } = result.metadata?.['ledger'] as { readonly cached: number };
  expect(cached).toBeLessThanOrEqual(Number(result.metadata?.['tokensBefore']));
});

test('the stages of a preset stand behind those that are given', async () => {
  const seen: string[] = [];
  const first: Condenser = { name: 'first', condense: (view) => (seen.push('first'), view) };
  const condenser = pricedCondenser({ stages: [first], preset: 'noCache' });
  expect(condenser.stages?.map(({ name }) => name)).toEqual(['first', 'digest']);
  const result = await condenser.condense(View.fromEvents(long), {});
  expect(seen).toEqual(['first']);
  expect(isCondensation(result) && result.metadata).toMatchObject({ stage: 'digest', reason: 'cold' });
});

test('what a reducer shows is what the next stages and the host read, in a preview too', async () => {
  const view = View.fromEvents(long);
  const last = view.events.at(-1) as ObservationEvent;
  const copy = { ...last, content: [{ type: 'text' as const, text: 'shown' }] };
  const showing: Reducer = {
    ...promising(() => {
      throw new Error('it is asked nothing');
    }),
    estimate: () => undefined,
    show: (given) => given.replace(new Map([[last.id, { event: copy }]])),
  };
  const read: unknown[] = [];
  const next: Condenser = { name: 'next', condense: (given) => (read.push(given.events.at(-1)), given) };
  const condenser = pricedCondenser({ stages: [showing, next] });
  for (const preview of [true, false]) {
    const shown = await condenser.condense(view, { prices, preview });
    expect(!isCondensation(shown) && shown.events.at(-1)).toEqual(copy);
  }
  expect(read).toEqual([copy, copy]);
});

test('a preview changes nothing', async () => {
  const view = View.fromEvents(long);
  expect(await pricedCondenser({ preset: 'noCache' }).condense(view, { preview: true })).toBe(view);
});

test.each([
  [{ stages: [] }, 'empty list'],
  [{ preset: 'dearest' }, 'must be one of balanced, cheapest, remembersMost, noCache'],
  [{ tolerance: -1 }, 'tolerance'],
  [{ stages: [noOpCondenser], preset: undefined }, 'is a function'],
  [{ prices: { read: 1 } }, 'write'],
])('%j is refused', (options, message) => {
  expect(() => pricedCondenser(options as never)).toThrow(InvalidCondenserConfigError);
  expect(() => pricedCondenser(options as never)).toThrow(message);
});
