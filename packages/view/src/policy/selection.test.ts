import type { EventId } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import { condensation, forgettableEventIds, isCondensation, keptEventIds, unitsOf, View } from '../index.js';
import { messageViolations } from '../testing/message-violations.js';
import { randomLog } from '../testing/random-log.js';

/** 0 user, 1–4 a batch of two with words of the agent's framework inside, 5 result of it, 6 user, 7–8 a call that finishes the turn, 9 user. */
function session() {
  const log = logBuilder();
  log.user('Go.');
  const first = log.action('read', { llmResponseId: 'r' });
  const second = log.action('read', { llmResponseId: 'r' });
  const firstResult = log.observation(first, 'A');
  const note = log.environment('The branch changed.');
  const secondResult = log.observation(second, 'B');
  const words = log.user('And the rest?');
  const { action, result } = log.call('finish', {}, 'done');
  log.user('Thanks.');
  return { view: View.fromEvents(log.events), first, second, firstResult, note, secondResult, words, action, result };
}

describe('by ids', () => {
  test('one result takes its whole batch along, and words inside it stay unless they are named', () => {
    const { view, first, second, firstResult, note, secondResult } = session();
    const batch = [first.id, second.id, firstResult.id, secondResult.id];
    expect([...forgettableEventIds(view, { ids: [secondResult.id] })]).toEqual(batch);
    expect([...forgettableEventIds(view, { ids: [note.id, first.id] })].sort()).toEqual([...batch, note.id].sort());
    expect([...forgettableEventIds(view, { ids: [note.id] })]).toEqual([note.id]);
  });

  test('what is kept stays, in any order, and unknown ids change nothing', () => {
    const { view, words, action, result } = session();
    const ids = [result.id, 'unknown', words.id, view.events.at(0)?.id ?? ''];
    expect([...forgettableEventIds(view, { ids })]).toEqual([words.id, action.id, result.id]);
    expect(forgettableEventIds(view, { ids: ['unknown'] }).size).toBe(0);
    expect(() => condensation({ view, ids: ['unknown'] })).toThrow('none of the ids is in the view');
    expect(() => condensation({ view, ids: [] })).toThrow('`ids` is empty');
    expect(() => condensation({ view, ids: new Set([words.id, 'unknown']) })).not.toThrow();
    const first = view.events.at(0)?.id ?? '';
    expect(() => condensation({ view, ids: [first] })).toThrow('what is selected of 10 events');
  });

  test('one id is no list of ids', () => {
    const { view, words } = session();
    // @ts-expect-error a string would be read letter by letter
    expect(() => condensation({ view, ids: words.id })).toThrow('none of the ids is in the view');
    // @ts-expect-error as above
    expect(forgettableEventIds(view, { ids: words.id }).size).toBe(0);
  });

  test('a batch of which the view hides a call stays', () => {
    const { view, first, second } = session();
    expect(forgettableEventIds(view.without(new Set([first.id])), { ids: [second.id] }).size).toBe(0);
  });

  test('an open batch stays', () => {
    const log = logBuilder();
    const action = log.action('read');
    const view = View.fromEvents(log.events);
    expect(forgettableEventIds(view, { ids: [action.id] }).size).toBe(0);
    const other = log.action('read', { llmResponseId: action.llmResponseId ?? '' });
    log.observation(other);
    expect(forgettableEventIds(View.fromEvents(log.events), { ids: [other.id] }).size).toBe(0);
  });
});

test('a frozen selection is found once, and one that may change is found again', () => {
  const { view, words, action, result, note } = session();
  const units = unitsOf(view);
  const fixed = { units: Object.freeze(units.slice(2)), ids: Object.freeze([note.id]) };
  const first = [...forgettableEventIds(view, fixed)];
  expect(first).toEqual([note.id, words.id, action.id, result.id]);
  expect([...forgettableEventIds(view, fixed)]).toEqual(first);
  expect(condensation({ view, ...fixed }).forgottenEventIds).toEqual(first);
  expect([...forgettableEventIds(view, { ...fixed, ids: Object.freeze([]) })]).toEqual(first.slice(1));
  expect([...forgettableEventIds(view, { units: fixed.units })]).toEqual(first.slice(1));
  expect([...forgettableEventIds(view, { ids: fixed.ids })]).toEqual([note.id]);
  const ids = [note.id];
  expect([...forgettableEventIds(view, { ids })]).toEqual([note.id]);
  ids.push(words.id);
  expect([...forgettableEventIds(view, { ids })]).toEqual([note.id, words.id]);
  const set = Object.freeze(new Set([note.id]));
  expect([...forgettableEventIds(view, { ids: set })]).toEqual([note.id]);
  set.add(words.id);
  expect([...forgettableEventIds(view, { ids: set })]).toEqual([note.id, words.id]);
});

test('units and a range add up, and the range decides where the summary stands', () => {
  const { view, words, action, result } = session();
  const [, , third, fourth] = unitsOf(view);
  expect(third).toEqual({ start: 6, end: 7 });
  const made = condensation({ view, start: 7, end: 9, units: third === undefined ? [] : [third], summary: 'S' });
  expect(made.forgottenEventIds).toEqual([words.id, action.id, result.id]);
  expect(made.summaryOffset).toBe(6);
  const byUnits = condensation({ view, units: fourth === undefined ? [] : [fourth], summary: 'S' });
  expect(byUnits.forgottenEventIds).toEqual([action.id, result.id]);
  expect(byUnits.summaryOffset).toBe(7);
});

test('whatever is selected, nothing kept goes, no batch is split, and no summary stands inside one', () => {
  const options = fc.record({
    seed: fc.nat(1_000_000),
    dirty: fc.boolean(),
    every: fc.integer({ min: 2, max: 9 }),
    hides: fc.option(fc.integer({ min: 2, max: 5 }), { nil: undefined }),
    by: fc.constantFrom('ids', 'units', 'both'),
    thinking: fc.constantFrom('prefix-bound' as const, 'latest-turn' as const),
  });
  let made = 0;
  fc.assert(
    fc.property(options, ({ seed, dirty, every, hides, by, thinking }) => {
      const { events } = randomLog({ seed, length: 60, dirty });
      const whole = View.fromEvents(events, { thinking });
      const pick = (nth: number) => new Set([...whole.events].flatMap(({ id }, at) => (at % nth === 0 ? [id] : [])));
      const view = hides === undefined ? whole : whole.without(pick(hides));
      const ids = by === 'units' ? [] : pick(every);
      const units = by === 'ids' ? [] : unitsOf(view).filter((_, index) => index % every === 0);
      const selection = { ids, units };
      const going = forgettableEventIds(view, selection);
      for (const id of keptEventIds(view)) expect(going.has(id)).toBe(false);
      if (going.size === 0) return;
      made++;
      const event = condensation({ view, ...selection, summary: 'S' });
      expect(event.forgottenEventIds).toEqual([...going]);
      const after = View.fromEvents([...events, event], { thinking });
      expect(isCondensation(event) && after.notes.length - whole.notes.length).toBe(0);
      expect(messageViolations(after.toMessages())).toEqual([]);
      const split = [...after.leftOut].filter(([, reason]) => reason === 'a part of its batch is forgotten');
      // The halves of a late pair may part; the call then says that its batch was split before.
      const late = whole.sent().items.flatMap((item) => (item.kind === 'late' ? [item.call.event.id] : []));
      expect(split.filter(([id]) => !whole.leftOut.has(id) && !late.includes(id))).toEqual([]);
      expect(standsInsideBatch(after, `${event.id}-summary`)).toBe(false);
    }),
    { seed: 20_261_122, numRuns: fewer(300) },
  );
  expect(made).toBeGreaterThan(fewer(200));
});

function standsInsideBatch(view: View, id: EventId): boolean {
  const index = view.indexOf(id);
  if (index === undefined) return false;
  const between = unitsOf(view).find(({ start, end }) => start <= index && index < end);
  const unit = between === undefined ? [] : view.events.slice(between.start, between.end);
  return unit.some((event) => event.type === 'action' && !view.leftOut.has(event.id));
}
