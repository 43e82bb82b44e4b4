import type { CreateEvent, Event, EventId, EventLog } from '@palimpsest/events';
import { confirmedBy } from '../confirmation.js';

/**
 * The events of a fork: those of the log up to the event `at`, without confirmations, and a record of the origin.
 *
 * @throws RangeError when there is no event `at`.
 */
export function forkedEvents(log: EventLog, at: EventId | undefined, createEvent: CreateEvent): readonly Event[] {
  const { conversationId } = log;
  const end = at === undefined ? log.length : 1 + log.slice().findIndex(({ id }) => id === at);
  if (end === 0 && at !== undefined) throw new RangeError(`Conversation '${conversationId}' has no event '${at}'.`);
  const kept = log.slice(0, end).filter((event) => confirmedBy(event).length === 0);
  return [...kept, createEvent('conversation-state-update', { key: 'forked-from', value: { conversationId, at } })];
}
