import { isToolResult } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** A part of a view that can only be kept or forgotten whole. */
export interface Unit {
  readonly start: number;
  /** The index behind the last event. */
  readonly end: number;
}

/**
 * The units of a view between two of its cut points, in order. What stands before the first cut point or behind the last one is
 * in no unit. In a view that was derived from the stored one, what is one unit there is one unit here too, and what shows only
 * some of a batch is none, because the stored batch cannot be forgotten by halves.
 */
export function unitsOf(view: View): readonly Unit[] {
  const units: Unit[] = [];
  let start: number | undefined;
  for (const cut of view.cutPoints) {
    if (!isStoredCut(view, cut)) continue;
    if (start !== undefined && cut > start && isWhole(view, start, cut)) units.push({ start, end: cut });
    start = cut;
  }
  return units;
}

/** Whether the stored list may be cut somewhere between the event before an index and the event at it. */
function isStoredCut(view: View, index: number): boolean {
  const { stored } = view;
  if (stored === view) return true;
  const [before, after] = [view.events.at(index - 1), view.events.at(index)];
  if (index === 0 || before === undefined || after === undefined) return true;
  const [from, to] = [stored.indexOf(before.id), stored.indexOf(after.id)];
  if (from === undefined || to === undefined) return false;
  return (stored.cutPoints.atOrAfter(from + 1) ?? Infinity) <= to;
}

/** Whether all calls and results that are sent of the stored unit stand in the view. */
function isWhole(view: View, start: number, end: number): boolean {
  const { stored } = view;
  if (stored === view) return true;
  const [first, last] = [view.events.at(start), view.events.at(end - 1)];
  const from = stored.cutPoints.atOrBefore((first && stored.indexOf(first.id)) ?? 0) ?? 0;
  const to = stored.cutPoints.atOrAfter(((last && stored.indexOf(last.id)) ?? 0) + 1) ?? stored.events.length;
  for (let index = from; index < to; index++) {
    const event = stored.events.at(index);
    if (event === undefined || (event.type !== 'action' && !isToolResult(event))) continue;
    if (view.indexOf(event.id) === undefined && !stored.leftOut.has(event.id)) return false;
  }
  return true;
}
