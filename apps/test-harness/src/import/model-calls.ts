import type { Event } from '@palimpsest/events';
import { View } from '@palimpsest/view';

/**
 * The positions in a log just before which a recorded model call happened: those of the first action or assistant message
 * of each response, as the view tells responses apart. What stands before such a position is what the call could be sent. An
 * event that repeats an id is passed over, as a view does.
 */
export function modelCalls(events: readonly Event[]): number[] {
  const positions: number[] = [];
  const seen = new Set<string>();
  const view = View.fromEvents(events);
  events.forEach((event, index) => {
    if (seen.has(event.id)) return;
    seen.add(event.id);
    if (view.responseOf(event.id) === event.id) positions.push(index);
  });
  return positions;
}
