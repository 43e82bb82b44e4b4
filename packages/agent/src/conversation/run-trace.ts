import type { CreateEvent, Event, EventLog } from '@palimpsest/events';
import type { EarlierRun } from '../instrumentation.js';

const key = 'traceparent';

/** Says in the log to which trace a run belongs. No model reads it. */
export function traceEvent(traceparent: string, conversationId: string, createEvent: CreateEvent): Event {
  return createEvent('conversation-state-update', { key, value: { traceparent, conversationId } });
}

/** The newest run whose trace the log names. */
export function earlierRun(events: EventLog): EarlierRun | undefined {
  let status: string | undefined;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events.at(index);
    if (event?.type !== 'conversation-state-update') continue;
    if (event.key === 'status' && typeof event.value === 'string') status ??= event.value;
    if (event.key !== key || typeof event.value !== 'object' || event.value === null) continue;
    const { traceparent, conversationId } = event.value as Readonly<Record<string, unknown>>;
    if (typeof traceparent === 'string' && typeof conversationId === 'string') {
      return { traceparent, conversationId, status };
    }
  }
  return undefined;
}
