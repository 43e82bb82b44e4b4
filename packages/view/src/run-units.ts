import type { EventId } from '@palimpsest/events';
import type { View } from './view.js';

/**
 * The key of a view's run test, which the functions below call. `Symbol.for` makes it the same in every copy of the package.
 */
export const joinsRunKey: unique symbol = Symbol.for('@palimpsest/view/joins-run');
export const withoutPropertiesKey: unique symbol = Symbol.for('@palimpsest/view/without-properties');

interface WithProperties {
  /** Whether the event at an index belongs to a run that begins before it. */
  readonly [joinsRunKey]?: ((index: number) => boolean) | undefined;
  readonly [withoutPropertiesKey]?: () => View;
}

/** The same view without its properties: runs remove no cut points. For a last resort. */
export function withoutProperties(view: View): View {
  const { [joinsRunKey]: joinsRun, [withoutPropertiesKey]: without } = view as WithProperties;
  return joinsRun === undefined || without === undefined ? view : without.call(view);
}

/** True for a unit that contains a run: it is forgotten or kept whole, words included. */
export function isRunUnit(view: View, start: number, end: number): boolean {
  const { [joinsRunKey]: joinsRun } = view as WithProperties;
  if (joinsRun === undefined) return false;
  for (let index = start + 1; index < end; index++) if (joinsRun(index)) return true;
  return false;
}

/** The ids, extended by all events of the units with a run that contain one of them. */
export function withRuns(view: View, ids: ReadonlySet<EventId>): ReadonlySet<EventId> {
  if ((view as WithProperties)[joinsRunKey] === undefined) return ids;
  const all = new Set(ids);
  for (const id of ids) {
    const index = view.indexOf(id);
    if (index === undefined) continue;
    const start = view.cutPoints.atOrBefore(index) ?? 0;
    const end = view.cutPoints.atOrAfter(index + 1) ?? view.events.length;
    if (isRunUnit(view, start, end)) for (const event of view.events.slice(start, end)) all.add(event.id);
  }
  return all;
}
