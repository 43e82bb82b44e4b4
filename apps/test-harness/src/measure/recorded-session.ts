import { isLLMConvertible, isToolResult } from '@palimpsest/events';
import type { ContentPart, Event, EventId } from '@palimpsest/events';
import { modelCalls } from '../import/log/model-calls.js';

/** The role of an event for the measures. `internal`: no model reads it. */
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

/**
 * Returns true if the log has the times of its events, and they differ. A log without times is read as if all happened
 * in 1970.
 */
export function hasTimes({ events }: Pick<RecordedSession, 'events'>): boolean {
  const [first, last] = [events[0], events.at(-1)].map((event) => Date.parse(event?.timestamp ?? ''));
  return first !== undefined && last !== undefined && first > Date.UTC(1971, 0, 1) && last > first;
}

/** Returns the kind of an event for the measures. A summary is internal, because no log of another agent has one. */
export function kindOfEvent(event: Event): EventKind {
  if (!isLLMConvertible(event)) return 'internal';
  if (event.type === 'system-prompt') return 'system';
  if (event.type === 'action') return 'call';
  if (isToolResult(event)) return 'result';
  if (event.type !== 'message') return 'internal';
  if (event.role === 'assistant') return 'agent';
  return event.source === 'user' ? 'user' : 'environment';
}

/** Returns by result the call that it answers, both as indices of the session's events. A result without a call is left out. */
export function callsOfResults({ events, kinds }: RecordedSession): ReadonlyMap<number, number> {
  const newest = new Map<string, number>();
  const callOf = new Map<number, number>();
  events.forEach((event, index) => {
    if (event.type === 'action') newest.set(event.toolCall.id, index);
    else if (kinds[index] === 'result' && 'toolCallId' in event) {
      const call = newest.get(String(event.toolCallId));
      if (call !== undefined) callOf.set(index, call);
    }
  });
  return callOf;
}

/** Returns the name of the tool of a call or a result. */
export function toolOf(event: Event): string | undefined {
  if (event.type === 'action') return event.toolCall.name;
  return 'toolName' in event && typeof event.toolName === 'string' ? event.toolName : undefined;
}

/** Returns the text of an event as a model reads it, without thinking. Strings inside of JSON arguments stand unescaped, one a line. */
export function textOfEvent(event: Event): string {
  switch (event.type) {
    case 'system-prompt':
      return `${event.systemPrompt}${event.dynamicContext ?? ''}`;
    case 'message':
    case 'observation':
      return `${textOfParts(event.content)}\n${textOfParts(event.extendedContent ?? [])}`;
    case 'action':
      return `${textOfParts(event.thought)}\n${event.toolCall.name} ${unescaped(event.toolCall.arguments)}`;
    case 'user-reject-observation':
      return event.rejectionReason;
    case 'agent-error':
      return event.error;
    case 'condensation-summary':
      return event.summary;
    default:
      return '';
  }
}

function textOfParts(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
}

/** Returns the scalars of JSON text, one a line; other text unchanged. */
export function unescaped(json: string): string {
  try {
    return scalarsOf(JSON.parse(json)).join('\n');
  } catch {
    return json;
  }
}

function scalarsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(scalarsOf);
  return [];
}
