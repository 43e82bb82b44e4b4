import { isToolResult } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';

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
 * @param events What would be summarised, and behind it the rest of the view, in order.
 * @param length How many of these would be summarised.
 */
export function settledPrefix(
  events: readonly LLMConvertibleEvent[],
  length: number,
  isAbandoned: (index: number) => boolean,
): SettledPrefix {
  const answeredAt = resultsOfCalls(events);
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
function resultsOfCalls(events: readonly LLMConvertibleEvent[]): ReadonlyMap<number, number> {
  const open = new Map<string, number>();
  const answeredAt = new Map<number, number>();
  events.forEach((event, index) => {
    if (event.type === 'action') {
      // The second call with the id of an open one is never sent: the result goes to the first.
      if (!isOpenInBatch(events, open.get(event.toolCall.id), event.llmResponseId)) open.set(event.toolCall.id, index);
    } else if (isToolResult(event)) {
      const call = open.get(event.toolCallId);
      if (call === undefined) return;
      answeredAt.set(call, index);
      open.delete(event.toolCallId);
    }
  });
  return answeredAt;
}

function isOpenInBatch(
  events: readonly LLMConvertibleEvent[],
  call: number | undefined,
  llmResponseId: string,
): boolean {
  const event = call === undefined ? undefined : events[call];
  return event?.type === 'action' && event.llmResponseId === llmResponseId;
}
