import type { Condensation, Event } from '@palimpsest/events';
import { forgettableEventIds } from './forgettable.js';
import { viewOfLog } from '../log-view.js';
import type { View } from '../view.js';

/**
 * Adapts a condensation that was made from an earlier view to a later view of the same log. Undefined if the condensation no
 * longer fits: a forgotten event, or an event before it, is gone or changed; a forgotten event is now pinned; or the view can
 * no longer be cut there. If the metadata has `tokensBefore` and `tokensAfter`, they are recomputed for the later view. The
 * cost is linear in the number of events up to the last forgotten event.
 */
export function rebasedCondensation(
  made: Condensation,
  views: { readonly from: View; readonly to: View },
): Condensation | undefined {
  const [from, to] = [viewOfLog(views.from), viewOfLog(views.to)];
  const indices = made.forgottenEventIds.map((id) => from.indexOf(id));
  if (indices.length === 0 || indices.includes(undefined)) return undefined;
  const places = indices as readonly number[];
  const [start, end] = [places.reduce((a, b) => Math.min(a, b)), places.reduce((a, b) => Math.max(a, b)) + 1];
  for (let index = 0; index < end; index++) {
    const [before, now] = [from.events.at(index), to.events.at(index)];
    // The offset of the summary counts from the start, so the events before the summary must be unchanged too.
    if (before === undefined || now === undefined || !isSameEvent(before, now)) return undefined;
  }
  const range = unitsAround(to, start, end);
  const asMade = unitsAround(from, start, end);
  if (range.start !== asMade.start || range.end !== asMade.end) return undefined;
  const mayGo = forgettableEventIds(to, range);
  if (!made.forgottenEventIds.every((id) => mayGo.has(id))) return undefined;
  const { tokensBefore, tokensAfter } = made.metadata ?? {};
  if (typeof tokensBefore !== 'number' || typeof tokensAfter !== 'number') return made;
  const saved = tokensBefore - tokensAfter;
  const sizes = { tokensBefore: to.tokens(), tokensAfter: to.tokens() - saved };
  return Object.freeze({ ...made, metadata: Object.freeze({ ...made.metadata, ...sizes }) });
}

/**
 * True if a view is of the same log as an earlier view, at the same or a later time: its log contains the newest event of the
 * earlier view.
 */
export function isLaterView(view: View, earlier: View): boolean {
  const newest = viewOfLog(earlier).events.at(-1);
  if (newest === undefined) return false;
  const [original, found] = [earlier.original(newest.id), view.original(newest.id)];
  // A summary is in the view but not in the log.
  if (original === undefined || found === undefined) return view.indexOf(newest.id) !== undefined;
  return isSameEvent(original, found);
}

/** True for the same object or an equal one: a host may read its log again at each step. */
function isSameEvent(a: Event, b: Event): boolean {
  return a === b || (a.id === b.id && a.type === b.type && JSON.stringify(a) === JSON.stringify(b));
}

/**
 * The cut points around a range. The ends of the range need not be cut points, because protected events may be next to them.
 */
function unitsAround(
  { cutPoints }: View,
  start: number,
  end: number,
): { readonly start: number; readonly end: number } {
  return { start: cutPoints.atOrBefore(start) ?? -1, end: cutPoints.atOrAfter(end) ?? Infinity };
}
