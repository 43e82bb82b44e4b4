import { isToolResult } from '@palimpsest/events';
import type { EventId } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/**
 * The calls and results that no provider takes: calls without a result, results without a call, calls with the id of an open one. An abort
 * leaves such lists.
 */
export function unpaired(view: View): ReadonlySet<EventId> {
  const gone = new Set<EventId>();
  const answered = new Set<string>();
  for (const event of [...view.events].reverse()) {
    const reason = view.leftOut.get(event.id);
    if (isToolResult(event)) {
      if (reason === 'a result without a call that waits for one') gone.add(event.id);
      else answered.add(event.toolCallId);
    } else if (event.type === 'action' && reason !== undefined) {
      // Of an open batch those calls stay that have their result.
      const isOpen = reason === 'waits for the results of an open batch';
      if (!isOpen || !answered.has(event.toolCall.id)) gone.add(event.id);
    }
  }
  return gone;
}
