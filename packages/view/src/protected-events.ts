import { isUserMessage } from '@palimpsest/events';
import type { EventId } from '@palimpsest/events';
import { pinnedEventIds } from './pinned-events.js';
import type { View } from './view.js';

/**
 * The events of a view that no condenser forgets by default: the system prompt in force, the first and the latest message with
 * source `user` (at most three events), and the pinned events together with the rest of their units.
 *
 * @param options - `userWords: false` leaves the user's messages out, for a condenser that declares `protects: false`
 */
export function protectedEventIds(
  view: View,
  options: { readonly userWords?: boolean | undefined } = {},
): ReadonlySet<EventId> {
  const ids = new Set<EventId>(pinnedEventIds(view));
  const { events } = view;
  const latest = [events.findLastIndex(({ type }) => type === 'system-prompt')];
  if (options.userWords !== false) {
    const first = events.find(isUserMessage);
    if (first !== undefined) ids.add(first.id);
    latest.push(events.findLastIndex(isUserMessage));
  }
  for (const index of latest.sort((a, b) => b - a)) {
    const event = events[index];
    if (event !== undefined) ids.add(event.id);
  }
  return ids;
}
