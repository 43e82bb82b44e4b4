import type { EventId } from '@palimpsest/events';
import { pinnedEventIds } from './pinned-events.js';
import type { View } from './view.js';

/**
 * The events of a view that no condenser forgets by default: the system prompt in force, the first and the latest message with
 * source `user`, and what is pinned. At most three, and besides them the pinned events with what they cannot stand without.
 */
export function protectedEventIds(view: View): ReadonlySet<EventId> {
  const ids = new Set<EventId>(pinnedEventIds(view));
  const { events } = view;
  let needsUser = false;
  for (const event of events) {
    if (event.type !== 'message' || event.source !== 'user') continue;
    ids.add(event.id);
    needsUser = true;
    break;
  }
  let needsSystem = true;
  for (let index = events.length - 1; index >= 0 && (needsUser || needsSystem); index--) {
    const event = events.at(index);
    if (event === undefined) continue;
    if (needsSystem && event.type === 'system-prompt') {
      needsSystem = false;
      ids.add(event.id);
    } else if (needsUser && event.type === 'message' && event.source === 'user') {
      needsUser = false;
      ids.add(event.id);
    }
  }
  return ids;
}
