import { eventFactory } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import { NoCondensationAvailableError, View, condensation, protectedEventIds } from '../index.js';
import { callHistory, withoutRepeatedIds } from '../testing/call-history.js';
import { LogTally } from '../testing/log-tally.js';
import { messageViolations } from '../testing/message-violations.js';
import { seededRandom } from '../testing/random.js';

/**
 * 0 system, 1 user, 2–3 call, 4 agent, 5 user, 6–9 batch of two that finishes the turn, 10 user, 11–12 call. Protected: 0, 1 and 10.
 */
function longLog() {
  const log = logBuilder();
  log.system();
  log.user('First.');
  log.call('run');
  log.agent('Done.');
  log.user('Second.');
  log.batch([
    { name: 'a', result: '1' },
    { name: 'finish', result: '2' },
  ]);
  log.user('Third.');
  log.call('run');
  return log;
}

const forgottenBy = (view: View, start: number, end: number) =>
  condensation({ view, start, end }).forgottenEventIds.map((id) => view.indexOf(id));

describe('what is forgotten', () => {
  const view = View.fromEvents(longLog().events);

  test('the range, its ends moved inwards to cut points', () => {
    expect(forgottenBy(view, 2, 4)).toEqual([2, 3]);
    expect(forgottenBy(view, 3, 8)).toEqual([4, 5]);
    expect(forgottenBy(view, 4.5, 9.5)).toEqual([5]);
    expect(forgottenBy(view, 7, 99)).toEqual([11, 12]);
  });

  test('never what is protected: the system prompt, the first and the latest user message', () => {
    expect(forgottenBy(view, -5, Infinity)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 11, 12]);
    expect([...protectedEventIds(view)].map((id) => view.indexOf(id))).toEqual([1, 10, 0]);
  });

  test('an open batch with a pending call stays', () => {
    const log = longLog();
    log.action('run');
    expect(forgottenBy(View.fromEvents(log.events), 10, 99)).toEqual([11, 12]);
  });

  test.each([
    ['an empty range', 4, 4],
    ['a range inside a batch', 7, 9],
    ['a range of protected events', 0, 2],
    ['a range that ends before it starts', 9, 2],
    ['no range', undefined, undefined],
  ])('%s cannot be condensed', (_, start, end) => {
    const range = start === undefined || end === undefined ? {} : { start, end };
    expect(() => condensation({ view, ...range, summary: 'S' })).toThrow(NoCondensationAvailableError);
  });
});

describe('where the summary stands', () => {
  const after = (start: number, end: number) => {
    const log = longLog();
    const event = condensation({
      view: View.fromEvents(log.events),
      start,
      end,
      summary: 'S',
      createEvent: log.create,
    });
    log.add(event);
    return [...View.fromEvents(log.events).events].map(({ type, id }) => (type === 'condensation-summary' ? 'S' : id));
  };

  test('at the start of the range', () => {
    expect(after(2, 10)).toEqual(['event-1', 'event-2', 'S', 'event-11', 'event-12', 'event-13']);
  });

  test('after the last protected event inside it, so that finished work is not taken for a new request', () => {
    expect(after(2, 13)).toEqual(['event-1', 'event-2', 'event-11', 'S']);
    expect(after(0, 6)).toEqual(['event-1', 'event-2', 'S', ...[7, 8, 9, 10, 11, 12, 13].map((n) => `event-${n}`)]);
  });
});

describe('a view made from the stored one', () => {
  test('the offset means the stored list, whatever the derived view leaves out', () => {
    const log = longLog();
    const view = View.fromEvents(log.events);
    const derived = view.without(new Set(['event-3', 'event-4', 'event-5']));
    const event = condensation({ view: derived, start: 2, end: 7, summary: 'S', createEvent: log.create });
    expect(event.forgottenEventIds).toEqual(['event-6', 'event-7', 'event-8', 'event-9', 'event-10']);
    log.add(event);
    const stored = View.fromEvents(log.events);
    expect([...stored.events].map(({ id }) => id)).toEqual([
      'event-1',
      'event-2',
      `${event.id}-summary`,
      'event-3',
      'event-4',
      'event-5',
      'event-11',
      'event-12',
      'event-13',
    ]);
    const again = stored.without(new Set(['event-3', 'event-4', 'event-5']));
    expect([...again.events].map(({ id }) => id).slice(1, 4)).toEqual(['event-2', `${event.id}-summary`, 'event-11']);
  });

  test('what is protected is so by the derived view: its own first and latest user message', () => {
    const view = View.fromEvents(longLog().events);
    const derived = view.without(new Set(['event-2', 'event-11']));
    expect(forgottenBy(derived, 0, 99)).toEqual([1, 2, 3, 5, 6, 7, 8, 9, 10]);
    expect(derived.events.at(4)).toMatchObject({ type: 'message', source: 'user' });
  });

  test('half of a batch that the derived view shows is not forgotten', () => {
    const view = View.fromEvents(longLog().events);
    const derived = view.without(new Set(['event-8', 'event-10']));
    const { forgottenEventIds } = condensation({ view: derived, start: 2, end: 99 });
    expect(forgottenEventIds).toEqual(['event-3', 'event-4', 'event-5', 'event-6', 'event-12', 'event-13']);
  });

  test('from any view without any events, what is appended is safe', () => {
    const tally = new LogTally();
    const logs = fc.record({ seed: fc.nat(1_000_000), length: fc.integer({ min: 10, max: 60 }), dirty: fc.boolean() });
    const property = fc.property(logs, (options) =>
      tally.check(options, (events) => {
        const history = callHistory(withoutRepeatedIds(events));
        const random = seededRandom(events.length);
        const view = View.fromEvents(events, { thinking: random.chance(0.5) ? 'prefix-bound' : 'latest-turn' });
        const kept = random.chance(0.5) ? 0.8 : 1;
        const derived = view.without(new Set([...view.events].map(({ id }) => id).filter(() => !random.chance(kept))));
        const start = random.below(derived.events.length + 1);
        const end = random.between(start, derived.events.length);
        let event;
        try {
          event = condensation({ view: derived, start, end, summary: 'S' });
        } catch (error) {
          if (NoCondensationAvailableError.isInstance(error)) return;
          throw error;
        }
        const after = View.fromEvents([...events, event]);
        expect(after.notes.length).toBe(view.notes.length);
        expect(messageViolations(after.toMessages())).toEqual([]);
        const protectedIds = [...protectedEventIds(view), ...protectedEventIds(derived)];
        expect(event.forgottenEventIds.filter((id) => protectedIds.includes(id))).toEqual([]);
        const lost = [...after.events].filter(
          ({ id, type }) =>
            type !== 'system-prompt' &&
            view.indexOf(id) !== undefined &&
            !view.leftOut.has(id) &&
            after.leftOut.has(id),
        );
        expect(lost.filter(({ id }) => history.byEvent.get(id)?.late !== true)).toEqual([]);
      }),
    );
    fc.assert(property, { seed: 20_261_124, numRuns: fewer(250) });
  });
});

describe('what else it carries', () => {
  const view = View.fromEvents(longLog().events);

  test('redactions of what stays and can be masked so; they alone are enough', () => {
    const event = condensation({
      view,
      start: 2,
      end: 4,
      redactions: [
        { eventId: 'event-4', text: 'forgotten' },
        { eventId: 'event-9', text: 'X' },
        { eventId: 'event-7', arguments: '{}' },
        { eventId: 'event-6', text: 'a user’s words' },
        { eventId: 'event-8', text: 'a call has no text' },
        { eventId: 'no-such-event', text: 'X' },
      ],
    });
    expect(event.redactions).toEqual([
      { eventId: 'event-9', text: 'X' },
      { eventId: 'event-7', arguments: '{}' },
    ]);
    const alone = condensation({ view, redactions: [{ eventId: 'event-9', text: 'X' }], summary: 'unused' });
    expect(alone).toMatchObject({ forgottenEventIds: [], redactions: [{ eventId: 'event-9', text: 'X' }] });
    expect(alone.summary).toBeUndefined();
    const unknown = [{ eventId: 'no-such-event', text: 'X' }];
    expect(() => condensation({ view, redactions: unknown })).toThrow('no redaction names an event of the view');
    expect(() => condensation({ view })).toThrow('nothing is selected');
  });

  test('metadata, and the ids and times of the factory that it is given', () => {
    const createEvent = eventFactory({ now: () => new Date(0), newId: () => 'mine' });
    expect(condensation({ view, start: 2, end: 4, metadata: { condenser: 'test' }, createEvent })).toEqual({
      type: 'condensation',
      id: 'mine',
      timestamp: '1970-01-01T00:00:00.000Z',
      source: 'environment',
      forgottenEventIds: ['event-3', 'event-4'],
      metadata: { condenser: 'test' },
    });
  });
});
