import type { EventId } from '@palimpsest/events';
import type { CutPoints } from './cut-points.js';
import type { ListSnapshot } from './list-analysis.js';

/** Consecutive events of a list, from `start` (inclusive) to `end` (exclusive). */
export interface Run {
  readonly start: number;
  readonly end: number;
  readonly holdsSystemPrompt: boolean;
}

/** The maximum number of runs of the fast path. Condensers split what they forget only at protected events. */
const fewRuns = 16;

/**
 * Converts ids to runs of a list between cut points. Undefined if the ids are not such runs, are too many runs, or are not in
 * list order: only condensers name thousands of events in list order.
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
 * The index of an event, not before `from`. Found by binary search, because the list has the order of the log. Summaries are
 * the exception: they are not in the log.
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
      // The log may contain another event with the id of a summary.
      if (event?.type !== 'condensation-summary') at = positionOf(event?.id ?? '');
      if (at === undefined) probe++;
    }
    if (at === undefined || at > position) high = middle;
    else if (at < position) low = probe + 1;
    else return probe;
  }
  // The remaining candidates: a summary, or an event among summaries.
  for (let index = low; index < list.length && (position === undefined || index < high); index++) {
    if (list.events[index]?.id === id) return index;
  }
  return undefined;
}
