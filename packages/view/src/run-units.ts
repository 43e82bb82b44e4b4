import type { EventId } from '@palimpsest/events';
import type { View } from './view.js';

/** What a view with properties answers to the functions below; the same names in every copy of the package. */
export const joinsRunKey: unique symbol = Symbol.for('@palimpsest/view/joins-run');
export const withoutPropertiesKey: unique symbol = Symbol.for('@palimpsest/view/without-properties');

interface WithProperties {
  /** Whether the event at an index is of a run that begins before it. */
  readonly [joinsRunKey]?: ((index: number) => boolean) | undefined;
  readonly [withoutPropertiesKey]?: () => View;
}

/** The same view without its properties: runs hold no cut point back. For a last resort, when nothing else helps. */
export function withoutProperties(view: View): View {
  const { [joinsRunKey]: joinsRun, [withoutPropertiesKey]: without } = view as WithProperties;
  return joinsRun === undefined || without === undefined ? view : without.call(view);
}

/** The units of a view in which a run stands: they go whole or stay whole, words included. */
export function isRunUnit(view: View, start: number, end: number): boolean {
  const { [joinsRunKey]: joinsRun } = view as WithProperties;
  if (joinsRun === undefined) return false;
  for (let index = start + 1; index < end; index++) if (joinsRun(index)) return true;
  return false;
}

/** Some ids and those of the units around them in which a run stands. */
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
