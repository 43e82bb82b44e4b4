import { EventStoreError, InvalidConversationIdError } from './errors.js';
import type { Event } from './event.js';

/**
 * Keeps the events of conversations. Append-only: nothing is ever edited or deleted. A store of your own proves itself with
 * `eventStoreContract` of `@palimpsest/events/testing`.
 */
export interface EventStore {
  /**
   * Appends the events, all or none, in their order. Once it resolves they survive the death of the process, as far as the
   * store promises to survive anything. Resolves to the number of events that the conversation now holds.
   *
   * @throws {@link ConcurrencyError} when `expectedVersion` (unit: events) is not the number that the conversation holds,
   *   or another writer has the conversation; {@link EventStoreError} when it cannot be written. Then nothing was appended.
   */
  append(
    conversationId: string,
    events: readonly Event[],
    options?: { readonly expectedVersion?: number },
  ): Promise<{ readonly version: number }>;

  /**
   * The events in their order, from the index `from` on (default 0). A conversation that does not exist has none.
   *
   * @throws {@link EventStoreError} when what is stored cannot be read; names file and line where there is one.
   */
  read(
    conversationId: string,
    options?: { readonly from?: number; readonly signal?: AbortSignal },
  ): AsyncIterable<Event>;

  /** Every conversation that holds an event, in no particular order. */
  list(): AsyncIterable<{ readonly conversationId: string; readonly version: number }>;
}

/**
 * Checks that a value can be a conversation id: a string of 1 to 512 characters. Any characters will do; an id is data and
 * never a path.
 *
 * @throws {@link InvalidConversationIdError}
 */
export function assertConversationId(value: unknown): asserts value is string {
  if (typeof value !== 'string') throw new InvalidConversationIdError(`it is of type ${typeof value}, not a string`);
  if (value === '') throw new InvalidConversationIdError('it is empty');
  if (value.length > 512) throw new InvalidConversationIdError(`it has ${value.length} characters; 512 are allowed`);
  if (!value.isWellFormed()) throw new InvalidConversationIdError('it holds half of a surrogate pair');
}

/** Checks where a reading begins: a whole number of events, 0 or more. */
export function assertReadFrom(value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new EventStoreError(`Cannot read from event ${value}: it has to be a whole number, 0 or more.`);
}
