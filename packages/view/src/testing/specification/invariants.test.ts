import { isToolResult } from '@palimpsest/events';
import type { Event, Message } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { View, ViewProjection } from '../../index.js';
import type { ThinkingMode } from '../../index.js';
import { LogTally } from '../log-tally.js';
import { messageViolations } from '../message-violations.js';
import { seededRandom } from '../random.js';
import { referenceView } from './reference-view.js';
import { batchAtomicity } from './batch-atomicity.js';
import { callHistory, withoutRepeatedIds } from './call-history.js';
import { listFacts } from './list-facts.js';
import type { ListFacts } from './list-facts.js';
import { observationUniqueness } from './observation-uniqueness.js';
import { toolCallMatching } from './tool-call-matching.js';
import { toolLoopAtomicity } from './tool-loop-atomicity.js';
import { cutPointsOf } from './invariant.js';
import type { Invariant } from './invariant.js';

const seed = 20_261_122;
/** `npm test` meets the first fifth of these cases, CI's thorough run all: `.ci/run`. */
const fewer = (count: number): number => (process.env['PALIMPSEST_THOROUGH'] === 'true' ? count : Math.ceil(count / 5));
const tally = new LogTally();
const logs = fc.record({ seed: fc.nat(1_000_000), length: fc.integer({ min: 5, max: 60 }), dirty: fc.boolean() });
const modes = ['prefix-bound', 'latest-turn'] as const;
const forLogs = (numRuns: number, check: (events: readonly Event[], thinking: ThinkingMode) => void) =>
  fc.assert(
    fc.property(logs, fc.constantFrom(...modes), (options, thinking) =>
      tally.check(options, (events) => check(events, thinking)),
    ),
    { seed, numRuns: fewer(numRuns) },
  );

afterAll(() => console.log(`fast-check seed ${seed}; ${tally.report()}`));

function invariantsFor(thinking: ThinkingMode): readonly Invariant[] {
  const always = [observationUniqueness, toolCallMatching, batchAtomicity];
  return thinking === 'latest-turn' ? [...always, toolLoopAtomicity] : always;
}

/** The batches whose thinking the view marks as stale: those that are sent without it in `prefix-bound`. */
function staleIn(view: View, { batches }: ListFacts): ReadonlySet<string> {
  const messages = view.toMessages({ thinking: 'prefix-bound' });
  const sent = new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? (message.thinkingBlocks ?? []) : [])),
  );
  const stale = batches.filter(({ carrier }) => carrier.thinkingBlocks?.some((block) => !sent.has(block)));
  return new Set(stale.map(({ carrier }) => carrier.id));
}

test('at every prefix the cut points are those that the four invariants allow', () => {
  forLogs(150, (events, thinking) => {
    const projection = new ViewProjection({ thinking });
    for (const [index, event] of events.entries()) {
      projection.append(event);
      const { view } = projection;
      const facts = referenceView(events.slice(0, index + 1));
      const allowed = cutPointsOf(invariantsFor(thinking), facts, { stale: staleIn(view, facts) });
      const indices = Array.from({ length: facts.events.length + 3 }, (_, at) => at - 1);
      const { cutPoints } = view;
      expect([...cutPoints]).toEqual(allowed);
      expect(indices.filter((at) => cutPoints.has(at))).toEqual(allowed);
      expect(indices.map((at) => cutPoints.atOrAfter(at))).toEqual(
        indices.map((at) => allowed.find((cut) => cut >= at)),
      );
      expect(indices.map((at) => cutPoints.atOrBefore(at))).toEqual(
        indices.map((at) => allowed.findLast((cut) => cut <= at)),
      );
    }
  });
});

test('at every prefix the messages keep the four invariants', () => {
  forLogs(100, (events, thinking) => {
    const projection = new ViewProjection({ thinking });
    for (const [index, event] of events.entries()) {
      projection.append(event);
      const facts = referenceView(events.slice(0, index + 1));
      const messages = projection.view.toMessages();
      for (const invariant of invariantsFor(thinking)) expect(invariant.violations(messages, facts)).toEqual([]);
    }
  });
});

test('what lies outside two cut points is still sent without what lies between, but for the half of a late pair', () => {
  forLogs(250, (events, thinking) => {
    const history = callHistory(withoutRepeatedIds(events));
    const view = View.fromEvents(events, { thinking });
    const random = seededRandom(events.length);
    const cuts = [...view.cutPoints];
    for (let times = 0; times < 4; times++) {
      const [start = 0, end = 0] = [random.pick(cuts) ?? 0, random.pick(cuts) ?? 0].sort((a, b) => a - b);
      const removed = new Set(view.events.slice(start, end).map(({ id }) => id));
      const rest = view.without(removed);
      expect([...rest.events]).toEqual([...view.events].filter(({ id }) => !removed.has(id)));
      expect(messageViolations(rest.toMessages())).toEqual([]);
      for (const { id } of rest.events) {
        if (view.leftOut.has(id) || !rest.leftOut.has(id)) continue;
        const call = history.byEvent.get(id);
        expect(call?.late, `${id} is no longer sent`).toBe(true);
        expect(removed.has(call?.action.id ?? '') || removed.has(call?.result?.id ?? '')).toBe(true);
      }
      const facts = listFacts([...rest.events], history);
      expect([...rest.leftOut.keys()].sort()).toEqual([...facts.leftOut].sort());
      expect([...rest.cutPoints]).toEqual(cutPointsOf(invariantsFor(thinking), facts, { stale: staleIn(rest, facts) }));
    }
  });
});

test('each invariant says where it is broken', () => {
  const log = logBuilder();
  log.user('Go.');
  log.batch([
    { name: 'a', result: '1' },
    { name: 'b', result: '2' },
  ]);
  log.call('c', {}, '3', { thinkingBlocks: [{ type: 'thinking', thinking: 'T', signature: 's' }] });
  const facts = referenceView(log.events);
  const messages = View.fromEvents(log.events).toMessages();
  const [user, batch, first, second, single, third] = messages as [
    Message,
    Message,
    Message,
    Message,
    Message,
    Message,
  ];
  const names = (list: readonly Message[]) =>
    invariantsFor('latest-turn')
      .filter((invariant) => invariant.violations(list, facts).length > 0)
      .map(({ name }) => name);

  expect(names(messages)).toEqual([]);
  expect(names([user, batch, first, second, first, single, third])).toEqual([
    observationUniqueness.name,
    toolCallMatching.name,
  ]);
  expect(names([user, batch, first, single, third, second])).toEqual([toolCallMatching.name]);
  expect(names([user, first, second, single, third])).toEqual([toolCallMatching.name, batchAtomicity.name]);
  const withoutThinking = View.fromEvents(log.events).toMessages({ thinking: 'none' });
  expect(names(withoutThinking)).toEqual([toolLoopAtomicity.name]);
  expect(names(messages.slice(0, 2))).toContain(toolCallMatching.name);
  expect(log.events.filter(isToolResult)).toHaveLength(3);
});
