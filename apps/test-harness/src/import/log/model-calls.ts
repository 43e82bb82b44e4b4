import type { Event } from '@palimpsest/events';
import { View } from '@palimpsest/view';

/**
 * The custom event that ends history copied from another session, as a sub-agent's log repeats its parent's. No model reads
 * it.
 */
export const copiedHistoryType = 'recorded/copied-history';

/**
 * Returns the positions of the recorded model calls in a log: for each response, the position of its first action or
 * assistant message. The view's rules separate responses. The model call could receive only the events before its
 * position. Events that repeat an id are skipped, as in a view. Calls in copied history are left out: they are the other
 * session's.
 */
export function modelCalls(events: readonly Event[]): number[] {
  const positions: number[] = [];
  const seen = new Set<string>();
  const view = View.fromEvents(events);
  const ownFrom = events.findLastIndex(({ type }) => type === copiedHistoryType);
  events.forEach((event, index) => {
    if (seen.has(event.id)) return;
    seen.add(event.id);
    if (index > ownFrom && view.responseOf(event.id) === event.id) positions.push(index);
  });
  return positions;
}
