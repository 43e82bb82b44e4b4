import type { EventId } from '@palimpsest/events';
import { protectedEventIds } from './protected-events.js';
import { viewOfLog } from './view-of-log.js';
import type { View } from './view.js';

/**
 * What {@link condensation} never forgets or masks: the protected and pinned events of a view, and those of the view of the log
 * where the view was made from it by `replace` or `without`. What a host refuses is among them.
 */
export function keptEventIds(view: View): ReadonlySet<EventId> {
  const stored = viewOfLog(view);
  const kept = protectedEventIds(view);
  return stored === view ? kept : new Set([...kept, ...protectedEventIds(stored)]);
}
