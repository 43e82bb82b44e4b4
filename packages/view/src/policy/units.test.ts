import { logBuilder } from '@palimpsest/events/testing';
import { newestStep, View } from '../index.js';
import { randomLog } from '../testing/random-log.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import { unitsOf } from './units.js';

test('messages are units of one event, and a batch with its results is one unit', () => {
  const log = logBuilder();
  log.user('go');
  log.batch([
    { name: 'a', result: 'ok' },
    { name: 'b', result: 'ok' },
  ]);
  log.agent('done');
  expect(unitsOf(View.fromEvents(log.events))).toEqual([
    { start: 0, end: 1 },
    { start: 1, end: 5 },
    { start: 5, end: 6 },
  ]);
});

test('what shows only some of a batch is no unit, and what is not sent is not missed', () => {
  const log = logBuilder();
  const { actions } = log.batch([
    { name: 'a', result: 'ok' },
    { name: 'b', result: 'ok' },
  ]);
  const word = log.user('go on');
  const view = View.fromEvents(log.events);
  expect(unitsOf(view.without(new Set([actions[0]?.id ?? ''])))).toEqual([{ start: 3, end: 4 }]);
  expect(unitsOf(view.without(new Set([word.id])))).toEqual([{ start: 0, end: 4 }]);
});

test('what a derived view leaves of a unit stays one unit', () => {
  const log = logBuilder();
  const a = log.action('a', { llmResponseId: 'r' });
  log.observation(a);
  const word = log.environment('a note');
  const b = log.action('b', { llmResponseId: 'r' });
  log.observation(b);
  const view = View.fromEvents(log.events);
  expect(unitsOf(view)).toEqual([{ start: 0, end: 5 }]);
  expect(unitsOf(view.without(new Set([word.id])))).toEqual([{ start: 0, end: 4 }]);
});

test('the units lie in order, and a derived view never has a finer cut than the stored one', () => {
  fc.assert(
    fc.property(fc.integer(), fc.boolean(), fc.integer({ min: 2, max: 5 }), (seed, dirty, every) => {
      const view = View.fromEvents(randomLog({ seed, length: 60, dirty }).events);
      const hidden = new Set([...view.events].flatMap(({ id }, index) => (index % every === 0 ? [id] : [])));
      for (const each of [view, view.without(hidden)]) {
        const units = unitsOf(each);
        for (const [index, { start, end }] of units.entries()) {
          expect(end).toBeGreaterThan(start);
          expect(start).toBeGreaterThanOrEqual(units[index - 1]?.end ?? 0);
          if (index > 0 && each === view) expect(start).toBe(units[index - 1]?.end);
        }
      }
      const stored = unitsOf(view);
      for (const { start, end } of unitsOf(view.without(hidden))) {
        const events = view.without(hidden).events;
        const first = view.indexOf(events.at(start)?.id ?? '') ?? -1;
        const last = view.indexOf(events.at(end - 1)?.id ?? '') ?? -1;
        // No stored unit reaches over the edge of one of the derived view, unless that edge is the list's.
        for (const unit of stored) {
          if (unit.start < first && unit.end > first && start > 0) {
            const inner = [...view.events.slice(unit.start, first)].filter(({ id }) => !hidden.has(id));
            expect(inner).toEqual([]);
          }
          if (unit.start <= last && unit.end > last + 1 && end < events.length) {
            const inner = [...view.events.slice(last + 1, unit.end)].filter(({ id }) => !hidden.has(id));
            expect(inner).toEqual([]);
          }
        }
      }
    }),
    { seed: 20_261_121, numRuns: fewer(100) },
  );
});

test('the newest step is the last response with its results and the words behind it', () => {
  const log = logBuilder();
  log.user('go');
  log.call('read_file');
  log.batch([{ name: 'read_file' }, { name: 'read_file' }]);
  log.user('and then?');
  expect(newestStep(View.fromEvents(log.events))).toEqual({ start: 3, cutPoint: 3, sharesResponse: false });
});

test('without a response it is the last event, and an empty view has an empty one', () => {
  const log = logBuilder();
  log.user('a');
  log.user('b');
  expect(newestStep(View.fromEvents(log.events)).start).toBe(1);
  expect(newestStep(View.fromEvents([])).start).toBe(0);
});

test('where one response id stands on everything, it is the last call and its result', () => {
  const log = logBuilder();
  log.user('go');
  for (let step = 1; step <= 5; step++) log.call('read_file', {}, 'text', { llmResponseId: 'r' });
  expect(newestStep(View.fromEvents(log.events))).toEqual({ start: 9, cutPoint: 1, sharesResponse: true });
});
