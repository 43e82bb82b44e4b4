import { condensation, forgettableEventIds, unitsOf, ViewProjection } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { randomLog } from '@palimpsest/view/testing';
import { expect, it } from 'vitest';
import { forgetUnits } from './selection.js';

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
