import type { CondensationAttempt, EventId } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { condenserName } from './window-record.js';

/** The number of newest internal events that are read. */
const searched = 1_000;

/**
 * Whether an attempt of this condenser in the current invocation had this outcome. The attempts are read from the log, so without
 * a host that appends them the result is always false. A condensation of this condenser, or a revert, resets the result. Costs
 * O(1).
 */
export function wasAttempted(view: View, outcome: string, requestId: EventId): boolean {
  const { internalEvents } = view;
  const end = Math.max(0, internalEvents.length - searched);
  for (let index = internalEvents.length - 1; index >= end; index--) {
    const event = internalEvents.at(index);
    if (event?.type === 'condensation-revert') return false;
    if (event?.type === 'condensation' && event.metadata?.['condenser'] === condenserName) return false;
    if (event?.type !== 'condensation-attempt' || !isOurs(event)) continue;
    if (event.data?.['requestId'] !== requestId) return false;
    if (event.outcome === outcome) return true;
  }
  return false;
}

/** In a pipeline the attempt carries the pipeline's name and this condenser's data. */
function isOurs({ condenser, data }: CondensationAttempt): boolean {
  return (data?.['condenser'] ?? condenser) === condenserName;
}
