import { logBuilder } from '@palimpsest/events/testing';
import { keptEventIds, View, ViewProjection } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { messageViolations, randomLog } from '@palimpsest/view/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fewer } from '../../test-support/fewer.js';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { recentEventsCondenser } from './recent-events.js';

const condense = (condenser: Condenser, view: View) => condenser.condense(view, { report: () => {} }) as View;
const ids = (view: View) => [...view.events].map(({ id }) => id);

/** Messages that are all cut points; the first is the user's. */
function messages(count: number) {
  const log = logBuilder({ idPrefix: '' });
  log.user('1');
  for (let index = 2; index <= count; index++) log.agent(String(index));
  return View.fromEvents(log.events);
}

test.each([
  { keepFirst: 1, maxSize: 5, length: 5, shown: ['1', '2', '3', '4', '5'] },
  { keepFirst: 1, maxSize: 3, length: 5, shown: ['1', '4', '5'] },
  { keepFirst: 1, maxSize: 2, length: 5, shown: ['1', '5'] },
  { keepFirst: 2, maxSize: 3, length: 5, shown: ['1', '2', '5'] },
  { keepFirst: 0, maxSize: 2, length: 5, shown: ['1', '4', '5'] },
  { keepFirst: 0, maxSize: 1, length: 3, shown: ['1', '3'] },
])('keepFirst $keepFirst, maxSize $maxSize of $length', ({ keepFirst, maxSize, length, shown }) => {
  expect(ids(condense(recentEventsCondenser({ keepFirst, maxSize }), messages(length)))).toEqual(shown);
});

test.each([
  { keepFirst: 1, maxSize: 10, length: 3, shown: ['1', '2', '3'] },
  { keepFirst: 5, maxSize: 10, length: 3, shown: ['1', '2', '3'] },
])(
  'known fault of the original: $keepFirst first ones of only $length are not shown twice',
  ({ keepFirst, maxSize, length, shown }) => {
    expect(ids(condense(recentEventsCondenser({ keepFirst, maxSize }), messages(length)))).toEqual(shown);
  },
);

test.each([
  { keepFirst: 3, maxSize: 3 },
  { keepFirst: 1_000, maxSize: 40 },
  { keepFirst: 100 },
  { keepFirst: 1, maxSize: 1 },
])('known fault of the original: %j, which would show everything, is refused', (options) => {
  const { keepFirst, maxSize = 100 } = options;
  expect(() => recentEventsCondenser(options)).toThrow(
    `recentEvents: 'keepFirst' may be at most ${maxSize - 1} with a 'maxSize' of ${maxSize}, so that a newer event is shown ` +
      `too; ${keepFirst} needs a 'maxSize' of at least ${keepFirst + 1}`,
  );
});

test('without a keepFirst the first event stays where there is room for it', () => {
  expect(ids(condense(recentEventsCondenser({ maxSize: 2 }), messages(5)))).toEqual(['1', '5']);
  expect(ids(condense(recentEventsCondenser({ maxSize: 1 }), messages(3)))).toEqual(['1', '3']);
});

test('the view itself is returned while it is small enough', () => {
  const view = messages(100);
  expect(condense(recentEventsCondenser(), view)).toBe(view);
});

test('known fault of the original: a request stays unhandled in the view that is returned', () => {
  const log = logBuilder();
  for (let index = 0; index < 9; index++) log.agent(String(index));
  log.request();
  const shown = condense(recentEventsCondenser({ maxSize: 4 }), View.fromEvents(log.events));
  expect(shown.unhandledCondensationRequest).toBe(true);
  expect(shown.events.length).toBe(4);
});

test('known fault of the original: no result loses its call; a batch at the edge is hidden whole, the newest one shown whole', () => {
  const log = logBuilder();
  log.user('go');
  const call = (name: string) => ({ name, result: 'ok' });
  log.batch([call('a'), call('b'), call('c')]);
  log.batch([call('d'), call('e'), call('f')]);
  const shown = condense(recentEventsCondenser({ maxSize: 4 }), View.fromEvents(log.events));
  expect([...shown.events].flatMap((event) => (event.type === 'action' ? [event.toolCall.name] : []))).toEqual([
    'd',
    'e',
    'f',
  ]);
  expect(messageViolations(shown.toMessages())).toEqual([]);
});

test('the first and the latest words of the user and the system prompt stay', () => {
  const log = logBuilder({ idPrefix: '' });
  log.agent('1');
  log.system();
  log.user('first');
  log.agent('4');
  log.user('latest');
  for (let index = 6; index <= 20; index++) log.agent(String(index));
  const shown = condense(recentEventsCondenser({ keepFirst: 1, maxSize: 4 }), View.fromEvents(log.events));
  expect(ids(shown)).toEqual(['1', '2', '3', '5', '18', '19', '20']);
});

test.each([{ maxSize: 0 }, { keepFirst: -1 }, { keepFirst: 1.5 }, { maxSize: Number.NaN }])(
  '%j is refused',
  (options) => {
    expect(() => recentEventsCondenser(options)).toThrow(InvalidCondenserConfigError);
  },
);

test('it holds its bound on clean logs, and what it shows can be sent', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: 1, max: 32 }),
      (seed, keepFirst, room) => {
        const maxSize = keepFirst + room;
        const view = View.fromEvents(randomLog({ seed, length: 120 }).events);
        const shown = condense(recentEventsCondenser({ keepFirst, maxSize }), view);
        const lastResponse = [...shown.events].findLast((event) => event.type === 'action')?.llmResponseId;
        const newest = [...shown.events].findIndex(
          (event) => event.type === 'action' && event.llmResponseId === lastResponse,
        );
        const newestStep = shown.events.length - Math.max(0, newest);
        const units = [...view.cutPoints].map((cut, index, cuts) => cut - (cuts[index - 1] ?? 0));
        expect(messageViolations(shown.toMessages())).toEqual([]);
        expect(shown.events.length).toBeLessThanOrEqual(
          Math.max(maxSize, keepFirst + newestStep) + keptEventIds(view).size + Math.max(...units),
        );
      },
    ),
    { seed: 20_261_121, numRuns: fewer(60) },
  );
});

test('a condenser that has seen the earlier steps, and branches of them, shows what a new one shows', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.array(fc.nat(59), { maxLength: 5 }), (seed, others) => {
      const options = { keepFirst: 1, maxSize: 4 };
      const condenser = recentEventsCondenser(options);
      const projection = new ViewProjection();
      const views = randomLog({ seed, length: 60 }).events.map((event) => {
        projection.append(event);
        return projection.view;
      });
      const earlier = others.flatMap((at) => views[at] ?? []);
      for (const view of [...views, ...earlier]) {
        expect(ids(condense(condenser, view))).toEqual(ids(condense(recentEventsCondenser(options), view)));
      }
    }),
    { numRuns: fewer(100) },
  );
});
