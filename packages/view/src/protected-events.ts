import { isUserMessage } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { matchingEvents } from './matching-events.js';
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
  const users = options.userWords === false ? noUsers : usersIn(events);
  const latest = [systemsIn(events).at(-1), users.at(-1)].filter((index) => index !== undefined);
  for (const index of [users.at(0), ...latest.sort((a, b) => b - a)]) {
    const event = index === undefined ? undefined : events.at(index);
    if (event !== undefined) ids.add(event.id);
  }
  return ids;
}

const noUsers = { at: (): undefined => undefined };
const usersIn = matchingEvents<LLMConvertibleEvent>(isUserMessage);
const systemsIn = matchingEvents<LLMConvertibleEvent>(({ type }) => type === 'system-prompt');
