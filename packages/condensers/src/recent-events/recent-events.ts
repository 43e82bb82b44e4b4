import type { EventId } from '@palimpsest/events';
import { keptEventIds, newestStep } from '@palimpsest/view';
import type { Condenser, View } from '@palimpsest/view';
import * as z from 'zod/mini';
import { defineCondenser } from '../authoring/definition/define-condenser.js';
import { optionIssue, optionsOf, wholeNumber } from '../authoring/definition/option-schemas.js';
import type { OptionsCheck } from '../authoring/definition/option-schemas.js';

/** Options of {@link recentEventsCondenser}. */
export interface RecentEventsOptions {
  /**
   * The number of first events that are shown. Unit: events, fewer than `maxSize`. @defaultValue 1, or 0 with a `maxSize` of 1
   */
  readonly keepFirst?: number | undefined;
  /** The number of events that are shown. Unit: events, at least 1. @defaultValue 100 */
  readonly maxSize?: number | undefined;
}

/**
 * Shows the first events and the newest ones and hides the events between them, at each step. No event is forgotten, no model is
 * called, and no note replaces the hidden events. It declares `rewritesEveryStep`: the window slides, so each step rewrites the
 * provider's cached prefix.
 *
 * **Warning: with a prompt cache this costs more than doing nothing.** On long recorded sessions the bill was two to six times that of
 * doing nothing. Use it for models without a prompt cache, or for short histories.
 *
 * Bound: `maxSize` events, plus the protected events (at most three), the rest of the unit in which the first events end, and the
 * newest step if it is larger than the window. Units that cannot be cut are hidden whole or not at all.
 *
 * @throws {@link InvalidCondenserConfigError} when a number is out of range, or `keepFirst` is not less than `maxSize`.
 * @see RecentEventsCondenser of OpenHands at d6fab190, without its faults: a head shown twice, and everything shown when
 *   `keepFirst` is not less than `maxSize`
 */
export function recentEventsCondenser(options: RecentEventsOptions = {}): Condenser {
  return recentEvents.create(options);
}

/** Checks that the newest events have room beside the first ones. */
const roomForNewest: OptionsCheck = ({ value, issues }) => {
  const { keepFirst = 0, maxSize = 0 } = value as RecentEventsOptions;
  if (keepFirst < maxSize) return;
  const reason = `so that a newer event is shown too; ${keepFirst} needs a 'maxSize' of at least ${keepFirst + 1}`;
  issues.push(
    optionIssue('keepFirst', `may be at most ${maxSize - 1} with a 'maxSize' of ${maxSize}, ${reason}`, keepFirst),
  );
};

/** The definition of {@link recentEventsCondenser}. */
export const recentEvents = /* @__PURE__ */ defineCondenser({
  name: 'recentEvents',
  summary: 'shows the first events and the newest ones, anew at each step',
  options: /* @__PURE__ */ optionsOf(
    () => ({ keepFirst: z.optional(wholeNumber(0)), maxSize: z._default(wholeNumber(1), 100) }),
    roomForNewest,
  ),
  create: ({ maxSize, keepFirst = Math.min(1, maxSize - 1) }) => ({
    name: 'recentEvents',
    rewritesEveryStep: true,
    condense: (view) => (view.events.length <= maxSize ? view : view.without(hiddenEvents(view, keepFirst, maxSize))),
  }),
});

/** Returns the ids of the events between the first and the newest ones, without those that are kept. */
function hiddenEvents(view: View, keepFirst: number, maxSize: number): ReadonlySet<EventId> {
  const { events, cutPoints } = view;
  const wanted = events.length - (maxSize - keepFirst);
  const end = Math.min(cutPoints.atOrAfter(wanted) ?? events.length, newestStep(view).cutPoint);
  const start = cutPoints.atOrAfter(Math.min(keepFirst, events.length)) ?? events.length;
  const hidden = new Set(events.slice(start, Math.max(start, end)).map(({ id }) => id));
  for (const id of keptEventIds(view)) hidden.delete(id);
  return hidden;
}
