import type { EventId } from '@palimpsest/events';
import { pinnedEventIds } from './pinned-events.js';
import type { View } from './view.js';

/**
 * The events of a view that no condenser forgets by default: the system prompt in force, the first and the latest message with
 * source `user`, and what is pinned. At most three, and besides them the pinned events with what they cannot stand without.
 */
export function protectedEventIds(view: View): ReadonlySet<EventId> {
  const ids = new Set<EventId>(pinnedEventIds(view));
  const { users, systems } = wordsIn(view.events);
  const add = (index: number): void => {
    const event = index < 0 ? undefined : view.events.at(index);
    if (event !== undefined) ids.add(event.id);
  };
  const isInView = (index: number): boolean => index < view.events.length;
  add(users.find(isInView) ?? -1);
  const [system = -1, user = -1] = [systems.findLast(isInView), users.findLast(isInView)];
  add(Math.max(system, user));
  add(Math.min(system, user));
  return ids;
}

interface Words {
  readonly users: number[];
  readonly systems: number[];
  searched: number;
}

/** What was found in lists that may have grown since, so that only what is new is looked at. */
const found = new WeakMap<object, Words>();

/** Where the words of the user and the system prompts stand in a list, and in what has been appended to it later. */
function wordsIn(events: View['events']): Words {
  const words = (events.source && found.get(events.source)) ?? { users: [], systems: [], searched: 0 };
  for (; words.searched < events.length; words.searched++) {
    const event = events.at(words.searched);
    if (event?.type === 'system-prompt') words.systems.push(words.searched);
    else if (event?.type === 'message' && event.source === 'user') words.users.push(words.searched);
  }
  if (events.source !== undefined) found.set(events.source, words);
  return words;
}
