import type { EventBase, EventId, EventSource } from './event-base.js';
import type { CustomEvent, Event } from './event.js';
import type { InternalEvent } from './internal-events.js';
import type { LLMConvertibleEvent } from './llm-convertible-events.js';
import { parseEvent } from './parse-event.js';

type KnownEvent = LLMConvertibleEvent | InternalEvent;
type KnownType = KnownEvent['type'];
type EventOf<Type extends KnownType> = Extract<KnownEvent, { readonly type: Type }>;
type Optional<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

const defaultSources = {
  'system-prompt': 'agent',
  action: 'agent',
  observation: 'environment',
  'user-reject-observation': 'environment',
  'agent-error': 'agent',
  'condensation-summary': 'environment',
  condensation: 'environment',
  'condensation-request': 'environment',
  'condensation-attempt': 'environment',
  'condensation-revert': 'user',
  'llm-usage': 'environment',
  'broken-response': 'agent',
  pause: 'user',
  'conversation-state-update': 'environment',
  'conversation-error': 'environment',
} as const satisfies Record<Exclude<KnownType, 'message'>, EventSource>;

/**
 * The fields from which an event of a type is made: its own fields, and optionally `id`, `timestamp` and `source`. A message
 * has no default source, because its source is never inferred from its role.
 */
export type EventFields<Type extends KnownType> = Omit<EventOf<Type>, keyof EventBase> &
  (Type extends 'message'
    ? Pick<EventBase, 'source'> & Optional<Pick<EventBase, 'id' | 'timestamp'>>
    : Optional<Pick<EventBase, 'id' | 'timestamp' | 'source'>>);

/** A maker of events that fills in ids and times. */
export interface CreateEvent {
  /** Makes an event of a type that this package defines. @throws {@link InvalidEventError} when a field is wrong. */
  <Type extends KnownType>(type: Type, fields: EventFields<Type>): EventOf<Type>;
  /** Makes an event of your own, namespaced type (`'acme/note'`). @throws {@link InvalidEventError} when it is not JSON. */
  (
    type: CustomEvent['type'],
    fields: { readonly source: EventSource; readonly id?: EventId; readonly timestamp?: string } & Readonly<
      Record<string, unknown>
    >,
  ): CustomEvent;
}

/**
 * Makes a {@link CreateEvent} with your own clock and id source, for tests and replays.
 *
 * @defaultValue `now`: the system clock; `newId`: {@link newEventId}
 */
export function eventFactory(options: { readonly now?: () => Date; readonly newId?: () => EventId } = {}): CreateEvent {
  const { now = () => new Date(), newId = newEventId } = options;
  return (type: string, fields: object) =>
    parseEvent({
      ...fields,
      type,
      source: (fields as Partial<EventBase>).source ?? defaultSources[type as keyof typeof defaultSources],
      id: (fields as Partial<EventBase>).id ?? newId(),
      timestamp: (fields as Partial<EventBase>).timestamp ?? now().toISOString(),
    }) as never;
}

/**
 * Makes one frozen event with a UUIDv7 as its id and the present UTC time.
 *
 * @throws {@link InvalidEventError} when a field is wrong; names its path.
 *
 * @example
 * ```ts
 * createEvent('condensation-request', { reason: 'the user pressed the button' });
 * ```
 */
export const createEvent: CreateEvent = eventFactory();

/** Returns a user's message of plain text. */
export function userMessage(text: string): Extract<Event, { readonly type: 'message' }> {
  return createEvent('message', { source: 'user', role: 'user', content: [{ type: 'text', text }] });
}

/**
 * Returns a new UUIDv7: 48 bits of the time in milliseconds, then random bits.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7 | RFC 9562, 5.7}
 */
export function newEventId(now: number = Date.now()): EventId {
  const bytes = new Uint8Array(16);
  globalThis.crypto.getRandomValues(bytes);
  let time = now;
  for (let index = 5; index >= 0; index--) {
    bytes[index] = time % 256;
    time = Math.floor(time / 256);
  }
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  let hex = '';
  for (const byte of bytes) hex += (byte + 0x100).toString(16).slice(1);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
