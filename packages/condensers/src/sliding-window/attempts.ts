import type { CondensationAttempt, EventId } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { condenserName } from './window-record.js';

/** How many of the newest internal events are looked at. */
const searched = 1_000;

/**
 * Whether an attempt of this condenser ended so in the invocation that is going on. Read from the attempts in the log, so without
 * a host that appends them it is never true. A condensation of this condenser, or a revert, begins anew. Costs O(1).
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

/** In a pipeline the attempt bears the pipeline's name, and its data ours. */
function isOurs({ condenser, data }: CondensationAttempt): boolean {
  return (data?.['condenser'] ?? condenser) === condenserName;
}
