import type { EventId } from '@palimpsest/events';
import type { CutPoints } from './cut-points.js';
import type { ListSnapshot } from './list-analysis.js';

/** Events that stand one after another in a list, from `start` up to and without `end`. */
export interface Run {
  readonly start: number;
  readonly end: number;
  readonly holdsSystemPrompt: boolean;
}

/** Condensers leave at most the protected events standing in what they forget. */
const fewRuns = 16;

/**
 * Some ids as runs of a list between cut points. Undefined where they are not such runs, or too many, or in another order:
 * nobody but a condenser names thousands of events in the order of the list.
 */
export function runsOf(
  ids: readonly EventId[],
  list: ListSnapshot,
  log: { readonly positionOf: (id: EventId) => number | undefined; readonly cutPoints: CutPoints },
): readonly Run[] | undefined {
  const runs: Run[] = [];
  let named = 0;
  let behind = 0;
  while (named < ids.length) {
    const start = indexOf(ids[named] as EventId, list, log.positionOf, behind);
    if (start === undefined || runs.length === fewRuns) return undefined;
    let end = start;
    let holdsSystemPrompt = false;
    for (; named < ids.length && end < list.length; end++, named++) {
      const event = list.events[end];
      if (event?.id !== ids[named]) break;
      holdsSystemPrompt ||= event?.type === 'system-prompt';
    }
    if (!log.cutPoints.has(start) || !log.cutPoints.has(end)) return undefined;
    runs.push({ start, end, holdsSystemPrompt });
    behind = end;
  }
  return runs;
}

/**
 * The index of an event, not before `from`. The list has the order of the log, but for the summaries, which the log does not
 * hold; so it is found by halves.
 */
function indexOf(
  id: EventId,
  list: ListSnapshot,
  positionOf: (id: EventId) => number | undefined,
  from: number,
): number | undefined {
  const position = positionOf(id);
  let low = from;
  let high = list.length;
  while (position !== undefined && low < high) {
    const middle = (low + high) >>> 1;
    let probe = middle;
    let at: number | undefined;
    while (probe < high && at === undefined) {
      const event = list.events[probe];
      // The log may hold another event with a summary's id.
      if (event?.type !== 'condensation-summary') at = positionOf(event?.id ?? '');
      if (at === undefined) probe++;
    }
    if (at === undefined || at > position) high = middle;
    else if (at < position) low = probe + 1;
    else return probe;
  }
  // A summary, or an event among summaries.
  for (let index = low; index < list.length && (position === undefined || index < high); index++) {
    if (list.events[index]?.id === id) return index;
  }
  return undefined;
}
