import type { EventId } from '@palimpsest/events';
import { protectedEventIds } from './protected-events.js';
import { recalledEventIds } from './recalled-results.js';
import { viewOfLog } from '../log-view.js';
import { withRuns } from '../log-view.js';
import type { View } from '../view.js';

/**
 * The events that {@link condensation} never forgets or masks: the protected and pinned events of a view and, for a view made
 * by `replace` or `without`, those of the log's view; also {@link recalledEventIds}. If one event of a unit with a run is kept,
 * the whole unit is kept. The set includes every event that a host refuses to lose.
 */
export function keptEventIds(view: View): ReadonlySet<EventId> {
  const stored = viewOfLog(view);
  const kept = new Set([...protectedEventIds(view), ...recalledEventIds(view)]);
  return withRuns(stored, stored === view ? kept : new Set([...kept, ...protectedEventIds(stored)]));
}
