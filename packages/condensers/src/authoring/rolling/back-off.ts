import type { Condensation } from '@palimpsest/events';
import { viewOfLog } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/** The wait after the first failure. Unit: events of the stored view. */
const firstWait = 4;
/** The longest wait. Unit: events of the stored view. */
const longestWait = 64;
/** The number of newest internal events that are read: more than a model writes during the longest waits. */
const searched = 1_000;

/**
 * True while a condenser should not call its model again. After a failed attempt the view must grow by 4 events, after two
 * failures in a row by 8, and so on to 64. An effective condensation of any condenser ends the wait. The wait is measured on the
 * stored view, which also grows if an earlier condenser always shows the same number of events. The attempts are read from the
 * log, so without a host that appends them there is no wait. Costs O(1): only the newest thousand internal events are read.
 */
export function isHeldBack(view: View, condenser: string): boolean {
  const sizes = attemptsSince(view, condenser, 'failed');
  const wait = Math.min(longestWait, firstWait * 2 ** (sizes.length - 1));
  return hasNotGrown(view, sizes[0], wait);
}

/** True if the log already states, within the last 64 events of the view, that a condenser could not act. Costs O(1). */
export function isKnownUnavailable(view: View, condenser: string): boolean {
  return hasNotGrown(view, attemptsSince(view, condenser, 'unavailable')[0], longestWait);
}

/** True if the log states that a condenser could not act, since the last condensation. Costs O(1): a thousand events are read. */
export function isStatedUnavailable(view: View, condenser: string): boolean {
  return attemptsSince(view, condenser, 'unavailable').length > 0;
}

function hasNotGrown(view: View, since: number | undefined, wait: number): boolean {
  if (since === undefined) return false;
  const grown = sizeNow(view) - since;
  return grown >= 0 && grown < wait;
}

/** The member `events` of a report. Unit: events of the stored view. */
export function sizeNow(view: View): number {
  return viewOfLog(view).events.length;
}

/** The size of the stored view at each attempt with this outcome since the last condensation, the newest first. */
function attemptsSince(view: View, condenser: string, outcome: string): readonly number[] {
  const sizes: number[] = [];
  const end = Math.max(0, view.internalEvents.length - searched);
  for (let index = view.internalEvents.length - 1; index >= end; index--) {
    const event = view.internalEvents.at(index);
    if (event?.type === 'condensation' && !isEmpty(event)) break;
    if (event?.type !== 'condensation-attempt' || event.outcome !== outcome) continue;
    // In a pipeline the attempt carries the pipeline's name and this condenser's data.
    if ((event.data?.['condenser'] ?? event.condenser) !== condenser) continue;
    const size = event.data?.['events'];
    if (typeof size === 'number') sizes.push(size);
  }
  return sizes;
}

/** An empty condensation, which answers a request that could not be met, says nothing about the model. */
function isEmpty({ forgottenEventIds, redactions = [], summary }: Condensation): boolean {
  return forgottenEventIds.length === 0 && redactions.length === 0 && summary === undefined;
}
