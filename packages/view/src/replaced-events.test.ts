import { isToolResult } from '@palimpsest/events';
import type { Event, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCondensation, redactedCopy, View, ViewProjection } from './index.js';
import type { Replacement } from './index.js';
import { carriesThinking, sentContent } from './stale-thinking.js';
import { fingerprint } from './testing/contract/fingerprint.js';
import { withoutRepeatedIds } from './testing/specification/call-history.js';
import { randomLog } from './testing/random-log.js';

const seed = 20_261_124;
/** `npm test` meets the first fifth of these cases, CI's thorough run all: `.ci/run`. */
const fewer = (count: number): number => (process.env['PALIMPSEST_THOROUGH'] === 'true' ? count : Math.ceil(count / 5));
const modes = ['prefix-bound', 'latest-turn', 'none'] as const;
const logs = fc.record({ seed: fc.nat(1_000_000), length: fc.integer({ min: 5, max: 60 }), dirty: fc.boolean() });

/** What a policy that masks at each step replaces: every third event before the newest ones, from a changing place on. */
function changesOf(view: View, step: number): ReadonlyMap<EventId, Replacement> {
  const changes = new Map<EventId, Replacement>();
  const ids = [...view.events].map(({ id }) => id);
  for (let index = step % 7 === 0 ? 3 : 0; index < ids.length - 4; index += 3) {
    const event = view.events.at(index) as LLMConvertibleEvent;
    const copy = copyOf(event, step);
    if (copy !== undefined) changes.set(event.id, { event: copy, effectiveFrom: ids[index + 4] });
  }
  return changes;
}

/** A mask; or words that become other words, or none. */
function copyOf(event: LLMConvertibleEvent, step: number): LLMConvertibleEvent | undefined {
  if (event.type === 'message') {
    return step % 5 === 0
      ? { ...event, content: [{ type: 'text', text: step % 2 === 0 ? '' : 'other words' }] }
      : undefined;
  }
  return redactedCopy(event, event.type === 'action' ? { arguments: '{}' } : { text: 'masked' });
}

test('a view in which more is replaced at each step is the one made from the start, and stays so', () => {
  let replaced = 0;
  fc.assert(
    fc.property(logs, fc.constantFrom(...modes), (options, thinking) => {
      const events = randomLog(options).events;
      const projection = new ViewProjection({ thinking });
      const seen: { readonly view: View; readonly print: string }[] = [];
      for (const [step, event] of events.entries()) {
        projection.append(event);
        const view = projection.view.replace(changesOf(projection.view, step));
        const fresh = View.fromEvents(events.slice(0, step + 1), { thinking });
        const print = fingerprint(fresh.replace(changesOf(fresh, step)));
        expect(fingerprint(view)).toBe(print);
        expect([...view.events].map(({ id }) => view.indexOf(id))).toEqual([...view.events].map((_, at) => at));
        seen.push({ view, print });
        if (view !== projection.view) replaced++;
      }
      for (const { view, print } of seen) expect(fingerprint(view)).toBe(print);
    }),
    { seed, numRuns: fewer(60) },
  );
  expect(replaced).toBeGreaterThan(fewer(500));
});

test('the messages of a view in which one more call or result is replaced at each step are those made from the start', () => {
  const choices = fc.infiniteStream(fc.nat(10_000));
  let [grown, stale] = [0, 0];
  fc.assert(
    fc.property(logs, choices, (options, numbers) => {
      const { events } = randomLog(options);
      const projection = new ViewProjection();
      const changes = new Map<EventId, Replacement>();
      const next = (below: number): number => (numbers.next().value as number) % below;
      for (const [step, event] of events.entries()) {
        projection.append(event);
        const { view } = projection;
        const target = view.events.at(next(view.events.length + 1));
        const isCall = target !== undefined && (isToolResult(target) || target.type === 'action');
        const copy = isCall && !changes.has(target.id) ? copyOf(target, step) : undefined;
        if (isCall && copy !== undefined) {
          changes.set(target.id, { event: copy, effectiveFrom: [undefined, target.id, event.id][next(3)] });
          grown++;
        }
        const replaced = view.replace(changes);
        const fresh = View.fromEvents(events.slice(0, step + 1)).replace(changes);
        expect(replaced.toMessages()).toEqual(fresh.toMessages());
        stale += [...view.events].filter(
          ({ id }) => fresh.sent().isThinkingStale(id) && !view.sent().isThinkingStale(id),
        ).length;
      }
    }),
    { seed, numRuns: fewer(300) },
  );
  expect(grown).toBeGreaterThan(fewer(2_000));
  expect(stale).toBeGreaterThan(fewer(500));
});

test('thinking behind a copy is stale up to the event from which the copy is in force, and only if the copy reads otherwise', () => {
  let stale = 0;
  fc.assert(
    fc.property(logs, (options) => {
      const view = View.fromEvents(randomLog(options).events);
      const changes = changesOf(view, 1);
      const sent = view.sent();
      const positions = new Map(withoutRepeatedIds(randomLog(options).events).map(({ id }, index) => [id, index]));
      const masked = view.replace(changes).sent();
      let since = -1;
      const read = ({ id }: Event): void => {
        const change = changes.get(id);
        const old = view.events.at(view.indexOf(id) ?? -1);
        if (change === undefined || old === undefined) return;
        if (JSON.stringify(sentContent(old)) === JSON.stringify(sentContent(change.event))) return;
        since = Math.max(since, positions.get(change.effectiveFrom ?? '') ?? Infinity);
      };
      for (const item of sent.items) {
        const carrier = item.kind === 'words' ? item.event : item.kind === 'batch' ? item.response[0] : undefined;
        if (carrier !== undefined && carriesThinking(carrier)) {
          const isStale = sent.isThinkingStale(carrier.id) || (positions.get(carrier.id) ?? -1) < since;
          expect(masked.isThinkingStale(carrier.id)).toBe(isStale);
          if (isStale) stale++;
        }
        if (item.kind === 'words') read(item.event);
        if (item.kind === 'late') [item.call.event, item.result.event].forEach(read);
        if (item.kind === 'batch') [...item.calls, ...item.results].forEach(({ event }) => read(event));
      }
    }),
    { seed, numRuns: fewer(300) },
  );
  expect(stale).toBeGreaterThan(fewer(50));
});

test('a condensation that only masks changes no cut point, no index and no other event', () => {
  let masks = 0;
  fc.assert(
    fc.property(logs, fc.boolean(), (options, withRuns) => {
      const properties = withRuns
        ? [({ source }: LLMConvertibleEvent) => (source === 'user' ? 'user' : undefined)]
        : [];
      const projection = new ViewProjection({ properties });
      for (const event of randomLog(options).events) {
        projection.append(event);
        const before = projection.view;
        const results = [...before.events].filter((one) => isToolResult(one)).slice(0, 3);
        const condensation = {
          type: 'condensation',
          id: `mask-${before.events.length}-${event.id}`,
          timestamp: event.timestamp,
          source: 'environment',
          forgottenEventIds: [],
          redactions: results.map(({ id }) => ({ eventId: id, text: 'masked' })),
        } as const;
        if (!isCondensation(condensation) || results.length === 0) continue;
        projection.append(condensation);
        const after = projection.view;
        expect([...after.cutPoints]).toEqual([...before.cutPoints]);
        expect([...after.events].map(({ id }) => after.indexOf(id))).toEqual([...before.events].map((_, at) => at));
        const sizes = [...after.events].map((one) => after.tokensOf(one));
        expect(after.tokens()).toBe(sizes.reduce((sum, size) => sum + size, 0));
        masks++;
      }
    }),
    { seed, numRuns: fewer(60) },
  );
  expect(masks).toBeGreaterThan(fewer(300));
});
