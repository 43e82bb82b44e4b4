import type { Event } from '@palimpsest/events';

/**
 * The positions in a log just before which a recorded model call happened: those of the first action or assistant message
 * of each response. What stands before such a position is what the call could be sent. An assistant message without a
 * response id is a response of its own; an event that repeats an id is passed over, as a view does.
 */
export function modelCalls(events: readonly Event[]): number[] {
  const positions: number[] = [];
  const seen = new Set<string>();
  let current: string | undefined;
  events.forEach((event, index) => {
    if (seen.has(event.id)) return;
    seen.add(event.id);
    if (event.type !== 'action' && !(event.type === 'message' && event.role === 'assistant')) return;
    const { llmResponseId } = event;
    if (llmResponseId === undefined || llmResponseId !== current) positions.push(index);
    current = llmResponseId;
  });
  return positions;
}
