import { isToolResult } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** How much of a list of events may be summarised. */
export interface SettledPrefix {
  /** Unit: events. */
  readonly length: number;
  /** The calls that are open behind it and hold the rest back. */
  readonly openCallIds: readonly EventId[];
}

/**
 * The longest prefix in which every call has its result. A call whose result stands behind the prefix holds back what follows
 * it, and so does one without a result, unless it counts as abandoned. Results are matched by occurrence: the first one behind a
 * call answers it.
 *
 * @param view Knows the responses of the events.
 * @param events What would be summarised, and behind it the rest of the view, in order.
 * @param length How many of these would be summarised.
 */
export function settledPrefix(
  view: Pick<View, 'responseOf'>,
  events: readonly LLMConvertibleEvent[],
  length: number,
  isAbandoned: (index: number) => boolean,
): SettledPrefix {
  const answeredAt = resultsOfCalls(view, events);
  let settled = 0;
  let reach = -1;
  for (let index = 0; index < length; index++) {
    if (events[index]?.type === 'action') {
      reach = Math.max(reach, answeredAt.get(index) ?? (isAbandoned(index) ? -1 : Infinity));
    }
    if (reach <= index) settled = index + 1;
  }
  const openCallIds: EventId[] = [];
  for (let index = settled; index < length; index++) {
    const event = events[index];
    if (event?.type !== 'action' || (answeredAt.get(index) ?? (isAbandoned(index) ? -1 : Infinity)) < length) continue;
    openCallIds.push(event.id);
  }
  return { length: settled, openCallIds };
}

/** For the index of each call that is answered the index of its result. */
function resultsOfCalls(
  view: Pick<View, 'responseOf'>,
  events: readonly LLMConvertibleEvent[],
): ReadonlyMap<number, number> {
  const open = new Map<string, number>();
  const answeredAt = new Map<number, number>();
  const responseAt = (index: number): EventId | undefined => view.responseOf(events[index]?.id ?? '');
  events.forEach((event, index) => {
    if (event.type === 'action') {
      // The second call with the id of an open one is never sent: the result goes to the first.
      const earlier = open.get(event.toolCall.id);
      const isSame = earlier !== undefined && responseAt(earlier) === responseAt(index);
      if (!isSame) open.set(event.toolCall.id, index);
    } else if (isToolResult(event)) {
      const call = open.get(event.toolCallId);
      if (call === undefined) return;
      answeredAt.set(call, index);
      open.delete(event.toolCallId);
    }
  });
  return answeredAt;
}
