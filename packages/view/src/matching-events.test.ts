import type { LLMConvertibleEvent } from '@palimpsest/events';
import { logBuilder } from '@palimpsest/events/testing';
import { condensation } from './condensation.js';
import { View } from './view.js';
import { ViewProjection } from './view-projection.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { randomLog } from './testing/random-log.js';
import { matchingEvents } from './matching-events.js';

/** `npm test` meets the first fifth of these cases, CI's thorough run all: `.ci/run`. */
const fewer = (count: number): number => (process.env['PALIMPSEST_THOROUGH'] === 'true' ? count : Math.ceil(count / 5));

function growing(messages: number) {
  const log = logBuilder();
  for (let index = 0; index < messages; index++) {
    log.user(`Question ${index}`);
    log.call('ls', {}, 'a');
  }
  return log.events;
}

function userMessages() {
  let looks = 0;
  const find = matchingEvents<LLMConvertibleEvent>((event) => {
    looks++;
    return event.type === 'message';
  });
  return { find, looks: () => looks };
}

test('of a list that grew, only what is new is looked at', () => {
  const projection = new ViewProjection();
  const { find, looks } = userMessages();
  const log = growing(50);
  for (const event of log) {
    projection.append(event);
    const found = find(projection.view.events);
    expect(found.count).toBe(projection.view.events.slice().filter(({ type }) => type === 'message').length);
  }
  expect(looks()).toBe(log.length);
});

test('an earlier view of the same list is answered for itself', () => {
  const projection = new ViewProjection();
  const { find } = userMessages();
  const [first, ...rest] = growing(4);
  if (first === undefined) throw new Error('the log is empty');
  projection.append(first);
  const early = projection.view;
  for (const event of rest) projection.append(event);
  const late = find(projection.view.events);
  expect([late.count, late.at(0), late.at(1), late.at(-1), late.at(4), late.at(-5)]).toEqual([
    4,
    0,
    3,
    9,
    undefined,
    undefined,
  ]);
  expect([late.before(0), late.before(1), late.before(4), late.before(99)]).toEqual([0, 1, 2, 4]);
  const before = find(early.events);
  expect([before.count, before.at(0), before.at(1), before.at(-1), before.before(99)]).toEqual([1, 0, undefined, 0, 1]);
});

test('after a condensation, and in a derived view, it is another list', () => {
  const projection = new ViewProjection();
  const { find } = userMessages();
  for (const event of growing(6)) projection.append(event);
  expect(find(projection.view.events).count).toBe(6);
  const { view } = projection;
  projection.append(condensation({ view, start: 3, end: 9 }));
  expect(find(projection.view.events).count).toBe(4);
  expect(find(view.events).count).toBe(6);
  const ids = new Set(view.events.slice(0, 3).map(({ id }) => id));
  expect(find(view.without(ids).events).count).toBe(5);
});

test('without a source it looks at everything, and says the same', () => {
  const { events } = View.fromEvents(growing(3));
  const { find, looks } = userMessages();
  const plain = {
    length: events.length,
    at: events.at.bind(events),
    slice: events.slice.bind(events),
    [Symbol.iterator]: events[Symbol.iterator].bind(events),
  };
  expect([find(plain).count, find(plain).count, looks()]).toEqual([3, 3, 2 * events.length]);
});

test('after an edit, only what stands behind the first change is looked at', () => {
  const projection = new ViewProjection();
  const { find, looks } = userMessages();
  for (const event of growing(50)) projection.append(event);
  expect(find(projection.view.events).count).toBe(50);
  const { view } = projection;
  const last = view.events.at(-1)?.id ?? '';
  projection.append(condensation({ view, redactions: [{ eventId: last, text: '' }] }));
  expect(find(projection.view.events).count).toBe(50);
  expect(looks()).toBe(150 + 1);
  const masked = projection.view;
  projection.append(condensation({ view: masked, start: 141, end: 144 }));
  expect(find(projection.view.events).count).toBe(49);
  expect(looks()).toBe(150 + 1 + 6);
});

test('whatever was searched for before, it says what a search of the whole says', () => {
  let edits = 0;
  fc.assert(
    fc.property(fc.nat(100_000), fc.array(fc.boolean(), { minLength: 3, maxLength: 9 }), (seed, asked) => {
      const { find } = userMessages();
      const projection = new ViewProjection();
      for (const [step, event] of randomLog({ seed, length: 60 }).events.entries()) {
        projection.append(event);
        if (event.type === 'condensation') edits++;
        const { view } = projection;
        const derived = view.replace(
          new Map([...view.events].slice(-step % 7).map((one) => [one.id, { event: { ...one } }])),
        );
        for (const { events } of asked[step % asked.length] === true ? [view, derived] : []) {
          const found = find(events);
          const all = [...events].flatMap(({ type }, index) => (type === 'message' ? [index] : []));
          expect(Array.from({ length: found.count }, (_, place) => found.at(place))).toEqual(all);
        }
      }
    }),
    { seed: 20_261_123, numRuns: fewer(60) },
  );
  expect(edits).toBeGreaterThan(fewer(20));
});
