import type { EventId } from '@palimpsest/events';
import { protectedEventIds } from './protected-events.js';
import { viewOfLog } from './view-of-log.js';
import { withRuns } from './run-units.js';
import type { View } from './view.js';

/**
 * What {@link condensation} never forgets or masks: the protected and pinned events of a view, and those of the view of the log
 * where the view was made from it by `replace` or `without`; and of a unit with a run in it, all or nothing. What a host refuses
 * is among them.
 */
export function keptEventIds(view: View): ReadonlySet<EventId> {
  const stored = viewOfLog(view);
  const kept = protectedEventIds(view);
  return withRuns(stored, stored === view ? kept : new Set([...kept, ...protectedEventIds(stored)]));
}
