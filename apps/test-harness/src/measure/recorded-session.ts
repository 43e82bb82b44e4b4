import { isLLMConvertible, isToolResult } from '@palimpsest/events';
import type { Event, EventId } from '@palimpsest/events';
import { modelCalls } from '../import/index.js';
import { textOfEvent } from './event-text.js';

/** What an event of a session is for the measures. `internal`: no model reads it. */
export type EventKind = 'system' | 'user' | 'environment' | 'agent' | 'call' | 'result' | 'internal';

/** A recorded session as the measures need it. Indices are those of `events`. */
export interface RecordedSession {
  /** The log without decisions and usage of the recording agent, which were made for other prompts. */
  readonly events: readonly Event[];
  /** The events before a position are what that model call could be sent. */
  readonly calls: readonly number[];
  /** By event: the number of model calls that had begun, less 1; results of call `i` are of step `i`. */
  readonly stepOf: readonly number[];
  readonly kinds: readonly EventKind[];
  /** By event, as a model reads it; empty for internal events. */
  readonly texts: readonly string[];
  readonly indexOf: ReadonlyMap<EventId, number>;
}

/** Records of the recording agent's own condenser and of its prompts. They would steer a replayed condenser. */
const leftOut = new Set([
  'condensation',
  'condensation-request',
  'condensation-attempt',
  'condensation-revert',
  'llm-usage',
]);

/** Prepares the events of a session for the measures. */
export function recordedSession(logged: readonly Event[]): RecordedSession {
  const events = logged.filter(({ type }) => !leftOut.has(type));
  const calls = modelCalls(events);
  let begun = 0;
  const stepOf = events.map((_, index) => {
    if (calls[begun] === index) begun++;
    return begun - 1;
  });
  const kinds = events.map(kindOfEvent);
  return {
    events,
    calls,
    stepOf,
    kinds,
    texts: events.map((event, index) => (kinds[index] === 'internal' ? '' : textOfEvent(event))),
    indexOf: new Map(events.map((event, index) => [event.id, index])),
  };
}

/** True if the log has the times of its events, and they differ. A log without times is read as if all happened in 1970. */
export function hasTimes({ events }: Pick<RecordedSession, 'events'>): boolean {
  const [first, last] = [events[0], events.at(-1)].map((event) => Date.parse(event?.timestamp ?? ''));
  return first !== undefined && last !== undefined && first > Date.UTC(1971, 0, 1) && last > first;
}

/** Returns what an event is for the measures. A summary is internal, because no log of another agent has one. */
export function kindOfEvent(event: Event): EventKind {
  if (!isLLMConvertible(event)) return 'internal';
  if (event.type === 'system-prompt') return 'system';
  if (event.type === 'action') return 'call';
  if (isToolResult(event)) return 'result';
  if (event.type !== 'message') return 'internal';
  if (event.role === 'assistant') return 'agent';
  return event.source === 'user' ? 'user' : 'environment';
}
