import type { Condensation, Event, EventId } from '@palimpsest/events';
import { condensation as makeCondensation, NoCondensationAvailableError } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/**
 * A condensation that was made from an earlier view, for a later one. Undefined where it does not fit any more: an event that goes, or
 * one that stands before it, is not there as it was; one has been pinned; or the view cannot be cut there now. Costs O(n) of the part up to
 * the last event that goes.
 */
export function rebased(
  made: Condensation,
  views: { readonly from: View; readonly to: View },
): Condensation | undefined {
  const [from, to] = [views.from.stored, views.to.stored];
  const indices = made.forgottenEventIds.map((id) => from.indexOf(id));
  if (indices.length === 0 || indices.includes(undefined)) return undefined;
  const places = indices as readonly number[];
  const [start, end] = [places.reduce((a, b) => Math.min(a, b)), places.reduce((a, b) => Math.max(a, b)) + 1];
  for (let index = 0; index < end; index++) {
    const [before, now] = [from.events.at(index), to.events.at(index)];
    // Where the summary stands is counted from the start, so that what comes before it must be the same too.
    if (before === undefined || now === undefined || !isSameEvent(before, now)) return undefined;
  }
  const range = unitsAround(to, start, end);
  const asMade = unitsAround(from, start, end);
  if (range.start !== asMade.start || range.end !== asMade.end) return undefined;
  if (!mayGo(to, range, made.forgottenEventIds)) return undefined;
  const { tokensBefore, tokensAfter } = made.metadata ?? {};
  const sizes =
    typeof tokensBefore === 'number' && typeof tokensAfter === 'number'
      ? { tokensBefore: to.tokens(), tokensAfter: to.tokens() - (tokensBefore - tokensAfter) }
      : {};
  return Object.freeze({ ...made, metadata: Object.freeze({ ...made.metadata, ...sizes, background: true }) });
}

/** The same object, or one that reads the same: a host may read its log anew at each step. */
export function isSameEvent(a: Event, b: Event): boolean {
  return a === b || (a.id === b.id && a.type === b.type && JSON.stringify(a) === JSON.stringify(b));
}

/** The cut points around a range. Its own ends need be none: what is protected may stand beside them. */
function unitsAround(
  { cutPoints }: View,
  start: number,
  end: number,
): { readonly start: number; readonly end: number } {
  return { start: cutPoints.atOrBefore(start) ?? -1, end: cutPoints.atOrAfter(end) ?? Infinity };
}

/** Whether a condensation of the range that were made now would let all of them go. */
function mayGo(view: View, range: { readonly start: number; readonly end: number }, ids: readonly EventId[]): boolean {
  try {
    const now = new Set(makeCondensation({ view, ...range }).forgottenEventIds);
    return ids.every((id) => now.has(id));
  } catch (error) {
    if (NoCondensationAvailableError.isInstance(error)) return false;
    throw error;
  }
}
