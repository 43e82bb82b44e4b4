import type { EventId } from '@palimpsest/events';
import { keptEventIds } from './protection.js';
import { viewOfLog } from '../log-view.js';
import { isPartOfCall } from './units.js';
import type { Unit } from './units.js';
import { isRunUnit } from '../log-view.js';
import type { View } from '../view.js';

/** The events that a condensation should forget: a range, units, single events, or a combination of these. */
export interface Selection {
  /** The first index of a range; moved forward to the next cut point. @defaultValue 0 */
  readonly start?: number | undefined;
  /** The index after the last event of a range; moved back to the nearest cut point. @defaultValue 0: no range */
  readonly end?: number | undefined;
  /**
   * Units of the view ({@link unitsOf}). They need not be adjacent. Thousands of them are found once for two calls if the array is
   * frozen, and that of `ids`. @defaultValue none
   */
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
 * Returns the events that {@link condensation} forgets for a selection. Protected and pinned events are left out, and
 * units of which the view hides a call or a result. Empty if nothing may be forgotten.
 */
export function forgettableEventIds(view: View, selection: Selection): ReadonlySet<EventId> {
  return new Set(forgettable(view, selection).ids);
}

/**
 * Returns the {@link forgettableEventIds}, with the place for a summary: after the last kept event inside the
 * selection, else at its start.
 */
export function forgettable(view: View, selection: Selection): Forgettable {
  const { start, end, units, ids } = selection;
  const last = lastSelections.get(view);
  if (last !== undefined && last.start === start && last.end === end && last.units === units && last.ids === ids) {
    return last.forgettable;
  }
  const selected = found(view, selection);
  if (isFixed(units) && isFixed(ids)) lastSelections.set(view, { start, end, units, ids, forgettable: selected });
  return selected;
}

/** A cache: a condenser measures what it selects, and then makes the condensation of it. */
const lastSelections = new WeakMap<View, Selection & { readonly forgettable: Forgettable }>();

/** Returns true if a list cannot change between two calls. A frozen set can. */
function isFixed(list: Selection['units'] | Selection['ids']): boolean {
  return list === undefined || (Array.isArray(list) && Object.isFrozen(list));
}

function found(view: View, selection: Selection): Forgettable {
  const range = snapped(view, selection.start ?? 0, selection.end ?? 0);
  const selected = selectedEvents(view, range, selection);
  const [from, to] = range ?? [Math.max(0, selected.indexOf(1)), selected.lastIndexOf(1) + 1];
  let place = from;
  for (const id of keptEventIds(view)) {
    const index = view.indexOf(id);
    if (index === undefined) continue;
    selected[index] = 0;
    if (index >= from && index < to) place = Math.max(place, index + 1);
  }

  const stored = viewOfLog(view);
  const going = indicesIn(selected);
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

/** The events of a view that a selection names: 1 at the index of each, 0 elsewhere. */
function selectedEvents(
  view: View,
  range: readonly [number, number] | undefined,
  { units = [], ids = [] }: Selection,
): Uint8Array {
  const selected = new Uint8Array(view.events.length);
  if (range !== undefined) selected.fill(1, ...range);
  for (const { start, end } of units) {
    const unit = snapped(view, start, end);
    if (unit !== undefined) selected.fill(1, ...unit);
  }
  let unit: UnitAround | undefined;
  for (const id of ids) {
    const index = view.indexOf(id);
    if (index === undefined) continue;
    // Most ids come in list order, so the next one is often in the same unit.
    const isInside = unit !== undefined && index >= unit.start && index < unit.end;
    if (!isInside) unit = unitAround(view, index);
    if (unit?.isRun !== true && !isCall(view, index)) selected[index] = 1;
    else if (unit !== undefined && !unit.isSelected) selectUnit(view, unit, selected);
  }
  return selected;
}

/** The unit around an event that was named. */
interface UnitAround {
  readonly start: number;
  readonly end: number;
  readonly isRun: boolean;
  isSelected: boolean;
}

/** The unit that contains the event at an index; undefined if the unit may still grow. */
function unitAround(view: View, index: number): UnitAround | undefined {
  const [start, end] = [view.cutPoints.atOrBefore(index), view.cutPoints.atOrAfter(index + 1)];
  if (start === undefined || end === undefined) return undefined;
  return { start, end, isRun: isRunUnit(view, start, end), isSelected: false };
}

/** Selects the events that go together: all events of a unit with a run, and of any other its calls and results. */
function selectUnit(view: View, unit: UnitAround, selected: Uint8Array): void {
  unit.isSelected = true;
  for (let at = unit.start; at < unit.end; at++) if (unit.isRun || isCall(view, at)) selected[at] = 1;
}

function indicesIn(selected: Uint8Array): readonly number[] {
  const indices: number[] = [];
  for (let index = 0; index < selected.length; index++) if (selected[index] === 1) indices.push(index);
  return indices;
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

/** Returns the number of some ascending numbers that are less than a limit. */
function countBelow(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
