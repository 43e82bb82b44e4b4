import { condensation, forgettableEventIds, unitsOf, ViewProjection } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { randomLog } from '@palimpsest/view/testing';
import { expect, it, test } from 'vitest';
import { forgetUnits, selectMiddle, tailForSize, tailForTokens } from './selection.js';

/** Cut points at every index, or only at some. */
function cuts(length: number, at?: readonly number[]) {
  const all = at ?? Array.from({ length: length + 1 }, (_, index) => index);
  return { atOrAfter: (index: number) => all.find((cut) => cut >= index) };
}

test.each([
  // maxSize, keepFirst, length: forgotten, kept with the summary. The first two were run on the original.
  { maxSize: 240, keepFirst: 2, length: 241, forgotten: 122, kept: 120 },
  { maxSize: 120, keepFirst: 4, length: 121, forgotten: 62, kept: 60 },
  { maxSize: 100, keepFirst: 1, length: 101, forgotten: 52, kept: 50 },
  { maxSize: 11, keepFirst: 0, length: 12, forgotten: 8, kept: 5 },
  { maxSize: 8, keepFirst: 2, length: 9, forgotten: 6, kept: 4 },
])(
  'too many events: maxSize $maxSize, keepFirst $keepFirst, $length events',
  ({ maxSize, keepFirst, length, forgotten, kept }) => {
    const tail = tailForSize(Math.floor(maxSize / 2), keepFirst);
    const selection = selectMiddle({ length, cutPoints: cuts(length), keepFirst, tail });
    expect(selection).toEqual({ start: keepFirst, end: keepFirst + forgotten });
    expect(length - forgotten + 1).toBe(kept);
  },
);

test.each([
  { length: 8, forgotten: 5 },
  { length: 10, forgotten: 6 },
  { length: 12, forgotten: 7 },
  { length: 14, forgotten: 8 },
])('a request on $length events, keepFirst 2, forgets $forgotten', ({ length, forgotten }) => {
  const tail = tailForSize(Math.floor(length / 2), 2);
  const selection = selectMiddle({ length, cutPoints: cuts(length), keepFirst: 2, tail });
  expect(selection).toEqual({ start: 2, end: 2 + forgotten });
});

test('a request on fewer than 2 * keepFirst + 2 events selects nothing', () => {
  for (let length = 0; length < 10; length++) {
    const tail = tailForSize(Math.floor(length / 2), 4);
    expect(selectMiddle({ length, cutPoints: cuts(length), keepFirst: 4, tail })).toBeUndefined();
  }
});

test('both ends move forward to the next cut point', () => {
  const cutPoints = cuts(20, [0, 1, 5, 9, 14, 20]);
  expect(selectMiddle({ length: 20, cutPoints, keepFirst: 2, tail: 8 })).toEqual({ start: 5, end: 14 });
  expect(selectMiddle({ length: 20, cutPoints, keepFirst: 2, tail: 3 })).toEqual({ start: 5, end: 20 });
});

test('where one unit covers the rest there is nothing to select', () => {
  expect(selectMiddle({ length: 122, cutPoints: cuts(122, [0, 1, 2, 122]), keepFirst: 3, tail: 56 })).toBeUndefined();
  expect(selectMiddle({ length: 9, cutPoints: cuts(9, []), keepFirst: 1, tail: 2 })).toBeUndefined();
});

test('less than the minimum is not selected', () => {
  const options = { length: 100, cutPoints: cuts(100), keepFirst: 1, tail: 90 };
  expect(selectMiddle(options)).toBeUndefined();
  expect(selectMiddle({ ...options, minProgress: 0.09 })).toEqual({ start: 1, end: 10 });
});

test.each([
  // Five tokens each, ten events, the first two stay.
  { excess: 0, tail: 8 },
  { excess: 4, tail: 7 },
  { excess: 5, tail: 6 },
  { excess: 12, tail: 5 },
  { excess: 39, tail: 0 },
  { excess: 400, tail: 0 },
])('$excess tokens too many leave the last $tail events', ({ excess, tail }) => {
  expect(tailForTokens({ length: 10, keepFirst: 2, excess, tokens: (from, to) => (to - from) * 5 })).toBe(tail);
});

test('without events behind the first ones there is no tail', () => {
  expect(tailForTokens({ length: 2, keepFirst: 4, excess: 10, tokens: () => 0 })).toBe(0);
});

/** What is forgotten when each event is named. */
function named(view: View, stays: (index: number) => boolean): readonly string[] {
  const ids = unitsOf(view).flatMap(({ start, end }) =>
    view.events
      .slice(start, end)
      .filter((_, index) => !stays(start + index))
      .map(({ id }) => id),
  );
  return [...forgettableEventIds(view, { ids })];
}

const decision = { account: { condenser: 'test', reason: 'events' }, createEvent: undefined };

it.each([false, true])('forgets what naming each event of the units forgets (dirty: %s)', (dirty) => {
  let compared = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const projection = new ViewProjection();
    for (const event of randomLog({ seed, dirty, length: 120 }).events) projection.append(event);
    const whole = projection.view;
    const hidden = new Set(whole.events.slice(seed, seed + 2).map(({ id }) => id));
    for (const view of [whole, whole.without(hidden)]) {
      for (const every of [Infinity, 7]) {
        const stays = (index: number) => index % every === 0 && view.events.at(index)?.type === 'message';
        const ids = named(view, stays);
        if (ids.length < 10) continue;
        const made = forgetUnits({ ...decision, view, units: unitsOf(view), stays });
        const tokens = ids.map((id) => view.indexOf(id) ?? 0).reduce((sum, at) => sum + view.tokens(at, at + 1), 0);

        expect(made.forgottenEventIds).toEqual(condensation({ view, ids }).forgottenEventIds);
        expect(made.metadata?.['tokensAfter']).toBe(view.tokens() - tokens);
        compared++;
      }
    }
  }
  expect(compared).toBeGreaterThan(25);
});
