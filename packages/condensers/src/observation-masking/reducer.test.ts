import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import {
  isCondensation,
  isReducer,
  newestStep,
  NoCondensationAvailableError,
  pin,
  View,
  ViewProjection,
} from '@palimpsest/view';
import { condenserContract, randomLog } from '@palimpsest/view/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Reducer } from '@palimpsest/view';
import { pricedCondenser } from '../priced/priced.js';
import { fewer } from '../../test-support/fewer.js';
import { observationMaskingCondenser } from './observation-masking.js';
import type { ObservationMaskingOptions } from './observation-masking.js';
import { contractSeeds } from '../../test-support/contract-seeds.js';

const lines = (text: string) => `${text}\n`.repeat(100);

function reducer(options: ObservationMaskingOptions = {}): Reducer {
  const condenser = observationMaskingCondenser(options);
  if (!isReducer(condenser)) throw new Error('not a reducer');
  return condenser;
}

function reads(steps: number) {
  const log = logBuilder();
  log.user('Read it all.');
  for (let step = 1; step <= steps; step++) log.call('read_file', { path: `src/${step}.ts` }, lines(`part ${step}`));
  return log;
}

/** Random logs hold short texts, which no mask would make shorter. */
function withLongTexts(event: Event, position: number): Event {
  if (position % 3 === 0) return event;
  if (event.type === 'observation') return { ...event, content: [{ type: 'text', text: lines(`result ${position}`) }] };
  if (event.type !== 'action') return event;
  const input = JSON.stringify({ path: 'a.ts', content: lines(`content ${position}`) });
  return { ...event, toolCall: { ...event.toolCall, arguments: input } };
}

/** What has become smaller, and what stands from its first change to the newest step. */
function changeBetween(before: View, after: View) {
  const first = [...before.events].findIndex((event, index) => event !== after.events.at(index));
  const { start } = newestStep(before);
  return {
    savedTokens: before.tokens() - after.tokens(),
    rewrittenTokens: after.tokens(first, Math.max(first, start)),
  };
}

test('the estimate is what reducing does, at every step of clean and dirty logs', () => {
  let acted = 0;
  fc.assert(
    fc.property(fc.nat(100_000), fc.boolean(), fc.nat(12), fc.nat(8), (seed, dirty, attentionWindow, waits) => {
      const projection = new ViewProjection();
      const events = randomLog({ seed, dirty, length: 80 }).events.map(withLongTexts);
      const masks = reducer({ attentionWindow, maskArguments: true });
      for (const [step, event] of events.entries()) {
        if (event.type === 'condensation-request') continue;
        projection.append(event);
        if (step % (waits + 1) !== 0) continue;
        const { view } = projection;
        const reduction = masks.estimate(view, {});
        // A list that was looked at step by step gives the same as one that was not.
        expect(reduction).toEqual(reducer({ attentionWindow, maskArguments: true }).estimate(view, {}));
        if (reduction === undefined) {
          expect(() => masks.reduce(view, {})).toThrow(NoCondensationAvailableError);
          continue;
        }
        projection.append(masks.reduce(view, {}) as Event);
        expect(reduction).toMatchObject(changeBetween(view, projection.view));
        acted++;
      }
    }),
    { seed: 20_261_122, numRuns: fewer(20) },
  );
  expect(acted).toBeGreaterThan(fewer(200));
});

test('the share that it would save of later steps is what it saves of those that left the window', () => {
  const view = View.fromEvents(reads(20).events);
  const { savedTokens = 0, savedShare } = reducer({ attentionWindow: 8 }).estimate(view, {}) ?? {};
  expect(savedShare).toBeCloseTo(savedTokens / view.tokens(0, view.events.length - 8));
  expect(savedShare).toBeGreaterThan(0.5);
});

test('what is pinned, and calls that wait for a result, are neither promised nor masked', () => {
  const log = logBuilder();
  log.user('Write it.');
  const pinned = log.call('read_file', { path: 'a.ts' }, lines('pinned')).result;
  log.add(pin(pinned.id));
  log.action({ name: 'write', input: { content: lines('open') } });
  for (let step = 0; step < 4; step++) log.call('look');
  const view = View.fromEvents(log.events);
  expect(reducer({ attentionWindow: 0, maskArguments: true }).estimate(view, {})).toBeUndefined();
});

test('over the budget it promises what it would mask then, or nothing if that is too little', () => {
  const { events } = reads(8);
  const view = View.fromEvents(events);
  const masks = reducer({ attentionWindow: 100 });
  expect(masks.estimate(view, {})).toBeUndefined();
  const context = { contextWindow: 1_500 };
  const reduction = masks.estimate(view, context);
  const result = masks.reduce(view, context);
  expect(isCondensation(result) && result.redactions).toHaveLength(7);
  const after = View.fromEvents([...events, result as Event]);
  expect(reduction).toMatchObject(changeBetween(view, after));
  expect(masks.estimate(after, context)).toBeUndefined();
  expect(() => masks.reduce(after, context)).toThrow(NoCondensationAvailableError);
});

test('one that rewrites every step is not asked when to act', () => {
  expect(isReducer(observationMaskingCondenser({ rewritesEveryStep: true }))).toBe(false);
});

test('priced masks act when that pays, each batch once, and never before', async () => {
  const projection = new ViewProjection();
  const condenser = pricedCondenser({ stages: [observationMaskingCondenser({ attentionWindow: 4 })] });
  const prices = { read: 0.1, write: 1.25 };
  const reasons: unknown[] = [];
  const masked = new Set<string>();
  for (const [step, event] of reads(60).events.entries()) {
    projection.append(event);
    if (step % 2 === 0) continue;
    const result = await condenser.condense(projection.view, { prices });
    if (!isCondensation(result)) continue;
    reasons.push(result.metadata?.['reason']);
    for (const { eventId } of result.redactions ?? []) {
      expect(masked).not.toContain(eventId);
      masked.add(eventId);
    }
    projection.append(result);
  }
  expect(new Set(reasons)).toEqual(new Set(['rent']));
  expect(reasons.length).toBeLessThan(20);
  expect(masked.size).toBeGreaterThan(40);
});

describe('priced masks of results and arguments', () => {
  condenserContract({
    test,
    seeds: contractSeeds,
    create: () =>
      pricedCondenser({
        stages: [observationMaskingCondenser({ attentionWindow: 4, maskArguments: true })],
        tolerance: 1,
        credit: 1,
      }),
    actsOn: reads(40).events,
  });
});
