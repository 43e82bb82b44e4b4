import { addressOf, createEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { condensation, pin, View } from '../index.js';
import { CondensationHistory } from './index.js';
import { randomLog } from '../testing/index.js';

test('its figures are those of the views before and after, at each condensation of any log', () => {
  let seen = 0;
  const logs = fc.record({ seed: fc.nat(1_000_000), length: fc.integer({ min: 20, max: 80 }), dirty: fc.boolean() });
  fc.assert(
    fc.property(logs, (options) => {
      const { events } = randomLog(options);
      const history = new CondensationHistory(events);
      const ids = new Set<string>();
      for (const [index, event] of events.entries()) {
        if (ids.has(event.id)) continue;
        ids.add(event.id);
        if (event.type !== 'condensation') continue;
        seen++;
        const [before, after] = [index, index + 1].map((end) => View.fromEvents(events.slice(0, end))) as [View, View];
        const details = history.details(event.id);
        expect(details).toMatchObject({
          condensation: event,
          tokensBefore: before.tokens(),
          tokensAfter: after.tokens(),
          savedTokens: before.tokens() - after.tokens(),
        });
        const [had, has] = [before, after].map((view) => new Set([...view.events].map(({ id }) => id)));
        const lost = [...(had ?? [])].filter((id) => has?.has(id) !== true);
        expect(details?.forgotten.map((each) => each.event.id).sort()).toEqual(lost.sort());
        const changed = [...after.events]
          .filter(({ id }) => had?.has(id) === true)
          .filter((each) => {
            const at = before.indexOf(each.id);
            // Each fold makes its own summaries.
            return at !== undefined && each.type !== 'condensation-summary' && before.events.at(at) !== each;
          });
        expect(details?.masked.map((each) => each.event.id).sort()).toEqual(changed.map(({ id }) => id).sort());
        expect((details?.untouchedTokens ?? 0) + (details?.rewrittenTokens ?? 0)).toBeLessThanOrEqual(after.tokens());
      }
      expect(history.condensations).toHaveLength(events.filter(isFirstCondensation).length);
    }),
    { seed: 20_261_123, numRuns: 150 },
  );
  expect(seen).toBeGreaterThan(100);
});

function isFirstCondensation(event: Event, index: number, events: readonly Event[]): boolean {
  return event.type === 'condensation' && events.findIndex(({ id }) => id === event.id) === index;
}

test('what was forgotten and masked, by whom it was asked for, and whether it was reverted', () => {
  const log = logBuilder();
  log.user('Read them.');
  const [one, two, three, four] = ['a', 'b', 'c', 'd'].map((path) =>
    log.call('read', { path }, `text of ${path} `.repeat(50)),
  );
  if (one === undefined || two === undefined || three === undefined || four === undefined) throw new Error('no calls');
  const first = condensation({
    view: View.fromEvents(log.events),
    start: 1,
    end: 3,
    summary: 'a was read.',
    redactions: [{ eventId: two.result.id, text: 'b: omitted' }],
  });
  log.add(first);
  const request = createEvent('condensation-request', { source: 'user' });
  log.add(request);
  const view = View.fromEvents(log.events);
  const second = condensation({ view, start: 1, end: 4, summary: 'a and b were read.' });
  log.add(second);
  const history = new CondensationHistory(log.events);

  const made = history.details(first.id);
  expect(made?.request).toBeUndefined();
  expect(made?.forgotten.map(({ event, address }) => [event.id, address])).toEqual([
    [one.action.id, addressOf(one.action.id)],
    [one.result.id, addressOf(one.result.id)],
  ]);
  expect(made?.masked).toMatchObject([{ what: 'result', note: 'b: omitted', address: addressOf(two.result.id) }]);
  expect(made?.masked[0]?.event).toBe(two.result);
  // The user's words stay in the cache; the newest step, d, is written in any case.
  expect(made?.untouchedTokens).toBe(View.fromEvents(log.events.slice(0, 1)).tokens());
  expect(made?.rewrittenTokens).toBeGreaterThan(0);

  const again = history.details(second.id);
  expect(again?.request).toBe(request);
  // A summary is forgotten under the address of its condensation, which is in the log; b as the model read it last.
  expect(again?.forgotten[0]).toMatchObject({ event: { type: 'condensation-summary' }, address: addressOf(first.id) });
  expect(again?.forgotten[2]?.event).toMatchObject({ content: [{ text: 'b: omitted' }] });

  expect(history.details(second.id)?.revert).toBeUndefined();
  const revert = createEvent('condensation-revert', { condensationId: second.id });
  history.append(revert);
  expect(history.details(second.id)?.revert).toBe(revert);
  expect(history.condensations).toEqual([first, second]);
  expect(history.view.condensations).toEqual([first]);
  expect(history.details('nothing')).toBeUndefined();
});

test('a pinned event is never among them, and a condensation that changes nothing costs nothing', () => {
  const log = logBuilder();
  log.user('Read them.');
  const { result } = log.call('read', { path: 'a' }, 'text '.repeat(50));
  log.call('read', { path: 'b' }, 'text '.repeat(50));
  log.call('read', { path: 'c' }, 'text '.repeat(50));
  log.add(pin(result.id));
  const forgetting = condensation({ view: View.fromEvents(log.events), start: 1, end: 5, summary: 's' });
  const nothing = createEvent('condensation', { forgottenEventIds: [] });
  log.add(forgetting, nothing);
  const history = new CondensationHistory(log.events);
  const details = history.details(forgetting.id);
  const summary = [...history.view.events].find(({ type }) => type === 'condensation-summary') ?? expect.fail();
  expect(details?.summaryTokens).toBe(history.view.tokensOf(summary));
  expect(details?.forgotten).toHaveLength(2);
  expect(details?.forgotten.map(({ event }) => event.id)).not.toContain(result.id);
  expect(history.details(nothing.id)).toMatchObject({ savedTokens: 0, rewrittenTokens: 0, forgotten: [], masked: [] });
});
