import type { Condensation } from '@palimpsest/events';
import { viewOfLog } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/** How long the first failure holds back the next attempt. Unit: events of the stored view. */
const firstWait = 4;
/** The longest wait. Unit: events of the stored view. */
const longestWait = 64;
/** How many of the newest internal events are looked at: more than a model writes in the longest waits. */
const searched = 1_000;

/**
 * True while a condenser should not ask its model again: after its last attempt failed, and until the view has grown by 4 events,
 * by 8 after two failures in a row, and so on to 64. A condensation that does something, of whom ever, ends it. It goes by the stored
 * view, which grows also where a condenser before this one always shows as much. Read from the attempts in the log, so without
 * a host that appends them nothing is ever held back. Costs O(1): the newest thousand internal events are looked at.
 */
export function isHeldBack(view: View, condenser: string): boolean {
  const sizes = attemptsSince(view, condenser, 'failed');
  const wait = Math.min(longestWait, firstWait * 2 ** (sizes.length - 1));
  return hasNotGrown(view, sizes[0], wait);
}

/** True where the log says already, within the last 64 events of the view, that a condenser could not act. Costs O(1). */
export function isKnownUnavailable(view: View, condenser: string): boolean {
  return hasNotGrown(view, attemptsSince(view, condenser, 'unavailable')[0], longestWait);
}

function hasNotGrown(view: View, since: number | undefined, wait: number): boolean {
  if (since === undefined) return false;
  const grown = sizeNow(view) - since;
  return grown >= 0 && grown < wait;
}

/** What a report calls `events`. Unit: events of the stored view. */
export function sizeNow(view: View): number {
  return viewOfLog(view).events.length;
}

/** How large the stored view was at each attempt of this outcome since the last condensation, the newest first. */
function attemptsSince(view: View, condenser: string, outcome: string): readonly number[] {
  const sizes: number[] = [];
  const end = Math.max(0, view.internalEvents.length - searched);
  for (let index = view.internalEvents.length - 1; index >= end; index--) {
    const event = view.internalEvents.at(index);
    if (event?.type === 'condensation' && !isEmpty(event)) break;
    if (event?.type !== 'condensation-attempt' || event.outcome !== outcome) continue;
    // In a pipeline the attempt bears the pipeline's name, and its data ours.
    if ((event.data?.['condenser'] ?? event.condenser) !== condenser) continue;
    const size = event.data?.['events'];
    if (typeof size === 'number') sizes.push(size);
  }
  return sizes;
}

/** What stands for a request that could not be met says nothing of the model. */
function isEmpty({ forgottenEventIds, redactions = [], summary }: Condensation): boolean {
  return forgottenEventIds.length === 0 && redactions.length === 0 && summary === undefined;
}
