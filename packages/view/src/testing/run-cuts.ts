import type { LLMConvertibleEvent } from '@palimpsest/events';
import { longestRun } from '../fold/runs.js';
import type { ViewProperty } from '../fold/runs.js';

/** A run of a stored list: the indices of its first and its last event. */
export interface Run {
  readonly first: number;
  readonly last: number;
}

/** Returns the runs that properties name in a stored list, by the rule as it is written. Quadratic, for tests. */
export function runsIn(
  events: readonly LLMConvertibleEvent[],
  keyOf: (event: LLMConvertibleEvent, property: ViewProperty) => string | undefined,
  properties: readonly ViewProperty[],
): readonly Run[] {
  return properties.flatMap((property) => {
    const runs: { key: string; first: number; last: number }[] = [];
    events.forEach((event, index) => {
      const key = keyOf(event, property);
      if (key === undefined) return;
      const run = runs.findLast((one) => one.key === key);
      if (run !== undefined && index - run.first < longestRun) run.last = index;
      else runs.push({ key, first: index, last: index });
    });
    return runs;
  });
}

/**
 * Returns the cut points of a list that runs leave: those in no run, and those that lie too far behind the last one
 * that is left.
 */
export function cutsBetweenRuns(cutPoints: readonly number[], runs: readonly Run[]): readonly number[] {
  const left: number[] = [];
  for (const cut of cutPoints) {
    const isInside = runs.some(({ first, last }) => first < cut && cut <= last);
    if (!isInside || cut - (left.at(-1) ?? 0) >= longestRun) left.push(cut);
  }
  return left;
}
