import type { EventId } from '@palimpsest/events';
import type { View } from './view.js';

/**
 * The events of a view that no condenser forgets by default: the system prompt in force, and the first and the latest
 * message with source `user`. At most three.
 */
export function protectedEventIds(view: View): ReadonlySet<EventId> {
  const ids = new Set<EventId>();
  const { events } = view;
  for (const event of events) {
    if (event.type !== 'message' || event.source !== 'user') continue;
    ids.add(event.id);
    break;
  }
  let needsUser = ids.size > 0;
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
