import { isToolResult } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** The part of a list of events that may be summarised. */
export interface SettledPrefix {
  /** Unit: events. */
  readonly length: number;
  /** The open calls after the prefix that hold back the rest. */
  readonly openCallIds: readonly EventId[];
}

/**
 * The longest prefix in which every call has its result. A call whose result comes after the prefix holds back the events that
 * follow it. A call without a result does so too, unless it counts as abandoned. Results are matched by occurrence: the first
 * result after a call answers it.
 *
 * @param view Supplies the responses of the events.
 * @param events The events to summarise, followed by the rest of the view, in order.
 * @param length The number of events to summarise.
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

/** The index of the result for the index of each answered call. */
function resultsOfCalls(
  view: Pick<View, 'responseOf'>,
  events: readonly LLMConvertibleEvent[],
): ReadonlyMap<number, number> {
  const open = new Map<string, number>();
  const answeredAt = new Map<number, number>();
  const responseAt = (index: number): EventId | undefined => view.responseOf(events[index]?.id ?? '');
  events.forEach((event, index) => {
    if (event.type === 'action') {
      // A second call with the id of an open one is never sent: the result belongs to the first.
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
