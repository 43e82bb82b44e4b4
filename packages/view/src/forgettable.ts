import type { EventId } from '@palimpsest/events';
import { keptEventIds } from './kept-events.js';
import { viewOfLog } from './view-of-log.js';
import { isPartOfCall } from './units.js';
import type { Unit } from './units.js';
import { isRunUnit } from './run-units.js';
import type { View } from './view.js';

/** The events that a condensation should forget: a range, units, single events, or a combination of these. */
export interface Selection {
  /** The first index of a range; moved forward to the next cut point. @defaultValue 0 */
  readonly start?: number | undefined;
  /** The index after the last event of a range; moved back to the nearest cut point. @defaultValue 0: no range */
  readonly end?: number | undefined;
  /** Units of the view ({@link unitsOf}). They need not be adjacent. @defaultValue none */
  readonly units?: readonly Unit[] | undefined;
  /**
   * Single events, in any order. Selecting a call or a result also selects the other calls and results of its unit, because
   * half of a batch is never sent. Words between them stay unless they are selected too, or belong to a run of a property. Ids
   * that are not in the view are ignored. @defaultValue none
   */
  readonly ids?: readonly EventId[] | ReadonlySet<EventId> | undefined;
}

/** The part of a selection that may be forgotten. */
export interface Forgettable {
  /** In the order of the log's view. */
  readonly ids: readonly EventId[];
  /** The index of the summary in the log's view before forgetting. */
  readonly summaryPlace: number;
  /** The number of `ids` before that index. Unit: events. */
  readonly beforeSummary: number;
}

/**
 * The events that {@link condensation} forgets for a selection. Protected and pinned events are left out, and units of which
 * the view hides a call or a result. Empty if nothing may be forgotten.
 */
export function forgettableEventIds(view: View, selection: Selection): ReadonlySet<EventId> {
  return new Set(forgettable(view, selection).ids);
}

/**
 * {@link forgettableEventIds}, with the place for a summary: after the last kept event inside the selection, else at its start.
 */
export function forgettable(view: View, selection: Selection): Forgettable {
  const kept = keptEventIds(view);
  const range = snapped(view, selection.start ?? 0, selection.end ?? 0);
  const indices = selectedIndices(view, range, selection);
  const [first, last] = [indices[0], indices.at(-1)];
  const [from, to] = range ?? [first ?? 0, (last ?? -1) + 1];
  let place = from;
  for (let index = from; index < to; index++) if (kept.has(idAt(view, index))) place = index + 1;

  const stored = viewOfLog(view);
  const going = indices.filter((index) => !kept.has(idAt(view, index)));
  const places = stored === view ? going : storedPlaces(view, stored, going);
  const summaryPlace = outsideOfUnit(stored, storedPlace(view, stored, place), places);
  return {
    ids: places.map((index) => idAt(stored, index)),
    summaryPlace,
    beforeSummary: countBelow(places, summaryPlace),
  };
}

function idAt({ events }: View, index: number): EventId {
  return events.at(index)?.id ?? '';
}

/** The first and last cut point inside a range; undefined if there is no event between them. */
function snapped(view: View, from: number, to: number): readonly [number, number] | undefined {
  const start = view.cutPoints.atOrAfter(Math.max(0, from));
  const end = view.cutPoints.atOrBefore(Math.min(to, view.events.length));
  return start === undefined || end === undefined || end <= start ? undefined : [start, end];
}

const nobody: readonly EventId[] = [];

/** The indices in a view that a selection names, in ascending order. */
function selectedIndices(
  view: View,
  range: readonly [number, number] | undefined,
  { units = [], ids = nobody }: Selection,
): readonly number[] {
  if (range !== undefined && units.length === 0 && ids === nobody) {
    return Array.from({ length: range[1] - range[0] }, (_, offset) => range[0] + offset);
  }
  const found = new Set<number>();
  const taken = new Set<number>();
  const addRange = ([from, to]: readonly [number, number]): void => {
    for (let index = from; index < to; index++) found.add(index);
  };
  if (range !== undefined) addRange(range);
  for (const { start, end } of units) addRange(snapped(view, start, end) ?? [0, 0]);
  for (const id of ids) {
    const index = view.indexOf(id);
    if (index !== undefined) for (const at of unitPartsAround(view, index, taken)) found.add(at);
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * The events that must be forgotten together with the event at an index: all events of a unit that contains a run; for a call
 * or a result, the calls and results of its unit. Empty if the unit may still grow or was `taken` before.
 */
function unitPartsAround(view: View, index: number, taken: Set<number>): readonly number[] {
  const [start, end] = [view.cutPoints.atOrBefore(index), view.cutPoints.atOrAfter(index + 1)];
  const isOpen = start === undefined || end === undefined;
  const isRun = !isOpen && isRunUnit(view, start, end);
  if (!isRun && !isCall(view, index)) return [index];
  if (isOpen || taken.has(start)) return [];
  taken.add(start);
  const unit = Array.from({ length: end - start }, (_, offset) => start + offset);
  return isRun ? unit : unit.filter((at) => isCall(view, at));
}

/** True for a call or a result. */
function isCall(view: View, index: number): boolean {
  const event = view.events.at(index);
  return event !== undefined && isPartOfCall(event);
}

function isSentCall(view: View, index: number): boolean {
  return isCall(view, index) && !view.leftOut.has(idAt(view, index));
}

/**
 * Maps indices of a derived view to indices of the log's view, in ascending order. Units that the indices do not cover
 * completely are left out: if the derived view hides a part of a batch, the batch stays in the log's view.
 */
function storedPlaces(view: View, stored: View, indices: readonly number[]): readonly number[] {
  const places = new Set(indices.map((index) => stored.indexOf(idAt(view, index)) ?? -1));
  places.delete(-1);
  const whole: number[] = [];
  let unitEnd = -1;
  let stays = false;
  for (const place of [...places].sort((a, b) => a - b)) {
    if (place >= unitEnd) {
      const [start, end] = [stored.cutPoints.atOrBefore(place), stored.cutPoints.atOrAfter(place + 1)];
      unitEnd = end ?? stored.events.length;
      stays = start === undefined || end === undefined;
      const isRun = start !== undefined && isRunUnit(stored, start, unitEnd);
      for (let index = start ?? unitEnd; index < unitEnd; index++) {
        stays ||= (isRun || isSentCall(stored, index)) && !places.has(index);
      }
    }
    if (!stays) whole.push(place);
  }
  return whole;
}

/** The index in the log's view of the place before an index of a derived one. */
function storedPlace(view: View, stored: View, index: number): number {
  if (stored === view || index === 0) return index;
  return (stored.indexOf(idAt(view, index - 1)) ?? stored.events.length - 1) + 1;
}

/** The index itself, or the end of its unit if some call of that unit stays: a summary is never placed inside a batch. */
function outsideOfUnit(stored: View, place: number, going: readonly number[]): number {
  if (stored.cutPoints.has(place)) return place;
  const [start, end] = [stored.cutPoints.atOrBefore(place) ?? 0, stored.cutPoints.atOrAfter(place)];
  const goes = new Set(going);
  for (let index = start; index < (end ?? 0); index++) {
    if (isSentCall(stored, index) && !goes.has(index)) return end ?? place;
  }
  return place;
}

/** How many of some ascending numbers are less than a limit. */
function countBelow(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
