import { createEvent as createEventByDefault, InvalidEventError } from '@palimpsest/events';
import type { CreateEvent, CustomEvent, EventId } from '@palimpsest/events';

/** Options of {@link pin} and {@link unpin}. */
export interface PinOptions {
  /** The author of the pin: the user, or the application. @defaultValue `user` */
  readonly source?: 'user' | 'environment' | undefined;
  /** The reason, for people who read the log. @defaultValue none */
  readonly reason?: string | undefined;
  /** @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/** Protects events from being forgotten or masked, from its position in the log on. Never sent to a model. */
export interface PinEvent extends CustomEvent {
  readonly type: 'view/pin' | 'view/unpin';
  readonly eventIds: readonly EventId[];
  readonly reason?: string;
}

/**
 * Makes the event that pins other events; append it to the log. Pinned events are protected from condensation. Pinning a call
 * or a result also pins the other calls and results of its batch. Events that were forgotten before stay forgotten, and ids
 * that are not in the log are ignored. Pinned events do not count towards the bounds of condensers.
 *
 * @throws {@link InvalidEventError} when `eventIds` is neither an id nor a list of ids, or an id is not a non-empty string.
 *
 * @example
 * ```ts
 * log.append(pin(requirements.id));
 * ```
 */
export function pin(eventIds: EventId | readonly EventId[], options: PinOptions = {}): PinEvent {
  return pinEvent('view/pin', eventIds, options);
}

/** Makes the event that ends {@link pin} for some events. */
export function unpin(eventIds: EventId | readonly EventId[], options: PinOptions = {}): PinEvent {
  return pinEvent('view/unpin', eventIds, options);
}

function pinEvent(type: PinEvent['type'], eventIds: EventId | readonly EventId[], options: PinOptions): PinEvent {
  const { source = 'user', reason, createEvent = createEventByDefault } = options;
  const ids: unknown = typeof eventIds === 'string' ? [eventIds] : eventIds;
  if (!isList(ids)) {
    const reason = 'pass the id of an event, or a list of ids: event.id, not the event';
    throw new InvalidEventError({ reason, path: ['eventIds'], eventType: type });
  }
  for (const [index, id] of ids.entries()) {
    if (typeof id === 'string' && id !== '') continue;
    const reason = 'must be the id of an event';
    throw new InvalidEventError({ reason, path: ['eventIds', index], eventType: type });
  }
  return createEvent(type, { source, eventIds: [...ids], reason }) as PinEvent;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
