import { eventFactory } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { condenseUntilSettled, isCondensation, View, ViewProjection } from '@palimpsest/view';
import type { CondenseContext, Condenser } from '@palimpsest/view';
import { expect, test } from 'vitest';
import { extractiveSummaryCondenser } from '../digest/extractive-summary.js';
import { observationMaskingCondenser } from '../observation-masking/observation-masking.js';
import { pricedCondenser } from './priced.js';

/** What the user says, and steps that each read so many tokens. */
function session(words: number, steps: readonly number[]): readonly Event[] {
  const log = logBuilder();
  log.user('word '.repeat(words));
  for (const [step, tokens] of steps.entries())
    log.call('read_file', { path: `src/part-${step}.ts` }, 'line of code; '.repeat(Math.ceil(tokens / 3.5)));
  return log.events;
}

interface Outcome {
  /** The model calls before which something was condensed. */
  readonly condensedAt: readonly number[];
  readonly reasons: readonly unknown[];
  /** Why nothing was condensed, as the log states it. */
  readonly reports: readonly string[];
  readonly largest: number;
}

async function run(events: readonly Event[], condenser: Condenser, context: CondenseContext): Promise<Outcome> {
  const projection = new ViewProjection();
  const [condensedAt, reasons]: [number[], unknown[]] = [[], []];
  let [calls, largest] = [0, 0];
  for (const event of events) {
    if (event.type === 'action') {
      const before = projection.view.condensations.length;
      const view = await condenseUntilSettled(condenser, projection, context);
      const made = projection.view.condensations.slice(before);
      if (made.length > 0) condensedAt.push(calls);
      reasons.push(...made.map(({ metadata }) => metadata?.['reason']));
      largest = Math.max(largest, view.tokens());
      calls++;
    }
    projection.append(event);
  }
  const attempts = projection.view.internalEvents.slice().filter(({ type }) => type === 'condensation-attempt');
  return {
    condensedAt,
    reasons,
    reports: attempts.map((attempt) => String('reason' in attempt && attempt.reason)),
    largest,
  };
}

const manifest = (): Condenser => extractiveSummaryCondenser({ maxSize: 100_000, keepFirst: 1, targetTokens: 6_000 });
const masks = (): Condenser => observationMaskingCondenser({ attentionWindow: 4, minSavedTokens: 500 });
const small = Array.from({ length: 200 }, () => 1_500);
/** Reading costs next to nothing, so nothing is condensed because it pays. */
const free = { prices: { read: 0.000_001, write: 1.25 } };

test.each<[string, () => Condenser]>([
  ['a reducer', () => pricedCondenser({ stages: [manifest()] })],
  ['a condenser with triggers of its own', () => pricedCondenser({ stages: [extractiveSummaryCondenser()] })],
  ['several stages', () => pricedCondenser({ stages: [masks(), manifest()] })],
  ['a preset', () => pricedCondenser({ preset: 'balanced' })],
])('%s stops condensing a view that can never fit, and the log says why', async (_, create) => {
  // The user's words stay, and so does what is sent beside the view: each alone fills the window.
  for (const [words, fixedTokens] of [
    [60_000, 0],
    [20, 60_000],
  ] as const) {
    const context = { ...free, contextWindow: 50_000, fixedTokens };
    const { condensedAt, reports } = await run(session(words, small), create(), context);
    expect(condensedAt.length).toBeLessThan(14);
    const why = reports.filter((reason) => reason.includes('no stage can make it fit'));
    expect(why.length).toBeGreaterThanOrEqual(1);
    expect(why.length).toBeLessThanOrEqual(3);
  }
});

test('it acts at once when the view can fit again', async () => {
  // One huge result is the newest step at one call; at the next it may go.
  const steps = [...small.slice(0, 20), 70_000, ...small.slice(0, 20)];
  const context = { ...free, contextWindow: 60_000 };
  const { condensedAt, reasons } = await run(session(20, steps), pricedCondenser({ stages: [manifest()] }), context);
  expect(condensedAt).toContain(21);
  expect(condensedAt).toContain(22);
  expect(condensedAt.length).toBeLessThan(6);
  expect(new Set(reasons)).toEqual(new Set(['tokens']));
});

test('it acts again when the window becomes larger', async () => {
  const projection = new ViewProjection();
  const condenser = pricedCondenser({ stages: [manifest()] });
  const events = session(30_000, small.slice(0, 60));
  const context = (contextWindow: number) => ({ ...free, contextWindow });
  for (const [index, event] of events.entries()) {
    if (event.type === 'action')
      await condenseUntilSettled(condenser, projection, context(index < events.length - 2 ? 30_000 : 60_000));
    projection.append(event);
  }
  const { view } = projection;
  expect(view.condensations.at(-2)?.metadata).toHaveProperty('roomTokens');
  const last = view.condensations.at(-1)?.metadata;
  expect(last).toMatchObject({ reason: 'tokens' });
  expect(last).not.toHaveProperty('roomTokens');
});

test('a request is answered whether or not the view can fit', async () => {
  const events = session(60_000, small.slice(0, 30));
  const context = { ...free, contextWindow: 50_000 };
  const condenser = pricedCondenser({ stages: [manifest()] });
  const projection = new ViewProjection();
  for (const event of events) {
    if (event.type === 'action') await condenseUntilSettled(condenser, projection, context);
    projection.append(event);
  }
  const before = projection.view.condensations.length;
  projection.append(eventFactory()('condensation-request', { source: 'user' }));
  const result = await condenser.condense(projection.view, context);
  expect(isCondensation(result) && result.metadata?.['reason']).toBe('request');
  expect(projection.view.condensations.length).toBe(before);
});

test('the wait is the same after a restart', async () => {
  const condenser = () => pricedCondenser({ stages: [manifest()] });
  const context = { ...free, contextWindow: 50_000 };
  const projection = new ViewProjection();
  const log: Event[] = [];
  const host = {
    get view() {
      return projection.view;
    },
    append: (event: Event) => {
      projection.append(event);
      log.push(event);
    },
  };
  for (const event of session(60_000, small.slice(0, 40))) {
    if (event.type === 'action') {
      const again = await condenser().condense(View.fromEvents(log), context);
      const result = await condenser().condense(projection.view, context);
      expect(isCondensation(again)).toBe(isCondensation(result));
      await condenseUntilSettled(condenser(), host, context);
    }
    host.append(event);
  }
});

test('a target below what is sent beside the view is kept by price alone, and does not condense at each step', async () => {
  const context = { prices: { read: 0.1, write: 1.25 }, contextWindow: 200_000, fixedTokens: 30_000 };
  const { condensedAt } = await run(session(20, small), pricedCondenser({ stages: [manifest()] }), context);
  expect(condensedAt.length).toBeGreaterThan(3);
  expect(condensedAt.length).toBeLessThan(40);
});
