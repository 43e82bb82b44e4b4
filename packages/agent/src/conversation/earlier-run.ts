import type { CreateEvent, Event, EventLog } from '@palimpsest/events';
import type { EarlierRun } from '../instrumentation.js';
import { noRunUsage, withCallOf } from '../limits.js';
import type { RunUsage } from '../limits.js';

const traceKey = 'traceparent';

/** Makes the event that names the trace of a run in the log. No model reads it. */
export function traceEvent(traceparent: string, conversationId: string, createEvent: CreateEvent): Event {
  return createEvent('conversation-state-update', { key: traceKey, value: { traceparent, conversationId } });
}

/** Returns the newest run whose trace the log names. */
export function earlierRun(events: EventLog): EarlierRun | undefined {
  let status: string | undefined;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events.at(index);
    if (event?.type !== 'conversation-state-update') continue;
    if (event.key === 'status' && typeof event.value === 'string') status ??= event.value;
    if (event.key !== traceKey || typeof event.value !== 'object' || event.value === null) continue;
    const { traceparent, conversationId } = event.value as Readonly<Record<string, unknown>>;
    if (typeof traceparent === 'string' && typeof conversationId === 'string') {
      return { traceparent, conversationId, status };
    }
  }
  return undefined;
}

/**
 * Counts what a run has used that the log does not say has ended: its process died, or released it. Whoever runs the conversation
 * next goes on with that run and its limits. Nothing when the newest run has ended.
 */
export function usageOfOpenRun(events: EventLog): RunUsage {
  let begin: number | undefined;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events.at(index);
    if (event?.type !== 'conversation-state-update' || event.key !== 'status') continue;
    // A run that goes on says once more that it runs.
    if (event.value !== 'running') break;
    begin = index;
  }
  if (begin === undefined) return noRunUsage;
  let used = noRunUsage;
  for (let index = begin; index < events.length; index++) {
    const event = events.at(index);
    if (event === undefined) continue;
    used = withCallOf(used, event);
    // The record of a model call that a step made, and not a condenser or a question aside.
    if (event.type === 'llm-usage' && event.purpose === 'agent') used = { ...used, iterations: used.iterations + 1 };
  }
  return used;
}

/** Reports whether the log says that a run is under way: it is, or its process died or released it. */
export function hasOpenRun(events: EventLog): boolean {
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events.at(index);
    if (event?.type === 'conversation-state-update' && event.key === 'status') return event.value === 'running';
  }
  return false;
}
