import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';

/**
 * A function that returns the key of the run of an event, or undefined. Events with the same key belong together, with
 * all events between them: an approval and the approved call, or items that a provider accepts only together. A
 * property is pure: the same event has the same key each time and in every process. It is called once for each event,
 * with the event as logged.
 *
 * A run goes from the first event with its key to the last one in the stored list, and ends after 64 events: the same key then
 * begins another run. A view is never cut inside a run, with one exception: if overlapping runs and batches leave no cut point
 * for 64 events, the next index between two batches is a cut point.
 *
 * @example
 * ```ts
 * const approvals: ViewProperty = (event) => (event.type === 'message' ? event.sender?.match(/^approval\/(.+)$/)?.[1] : undefined);
 * const projection = new ViewProjection({ properties: [approvals] });
 * ```
 */
export type ViewProperty = (event: LLMConvertibleEvent) => string | undefined;

/** The maximum length of a run, so that a run that never ends does not block condensation for ever. Unit: events. */
export const longestRun = 64;

/** The keys of the runs of events, by their ids. Only events with a key are in it. */
export type RunKeys = ReadonlyMap<EventId, readonly string[]>;

/**
 * Returns for each index of a list the start of the first run that its event joins, or the index itself if it joins
 * none.
 */
export function startsOfRuns(events: readonly LLMConvertibleEvent[], keys: RunKeys): readonly number[] {
  /** For each key, the start of its newest run. */
  const newest = new Map<string, number>();
  return events.map(({ id }, index) => {
    let start = index;
    for (const key of keys.get(id) ?? []) {
      const first = newest.get(key);
      if (first === undefined || index - first >= longestRun) newest.set(key, index);
      else start = Math.min(start, first);
    }
    return start;
  });
}

/** Returns the cut points that are in no run, and those that lie too far behind the last one that is left. */
export function cutsBetweenRuns(cuts: readonly number[], starts: readonly number[]): readonly number[] {
  const inside = new Set<number>();
  let reach = Infinity;
  let index = starts.length - 1;
  for (const cut of cuts.toReversed()) {
    for (; index >= cut; index--) reach = Math.min(reach, starts[index] as number);
    if (reach < cut) inside.add(cut);
  }
  let last = 0;
  return cuts.filter((cut) => {
    const isKept = !inside.has(cut) || cut - last >= longestRun;
    if (isKept) last = cut;
    return isKept;
  });
}
