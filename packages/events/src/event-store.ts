import { EventStoreError, InvalidConversationIdError } from './errors.js';
import type { Event } from './event.js';

/**
 * A store of the events of conversations. It is append-only: nothing is ever edited or deleted. Test your own store
 * with `eventStoreContract` of `@palimpsest/events/testing`.
 */
export interface EventStore {
  /**
   * Appends the events, all or none, in their order. After it resolves, the events of a persistent store survive the
   * death of the process. Resolves to the new number of events of the conversation.
   *
   * @throws {@link ConcurrencyError} when `expectedVersion` (unit: events) is not the conversation's number of events, or other
   *   appends took too long.
   * @throws {@link ConversationBusyError} when somebody has the conversation open for writing.
   * @throws {@link EventStoreError} when it cannot be written. After each of these errors nothing was appended.
   */
  append(
    conversationId: string,
    events: readonly Event[],
    options?: { readonly expectedVersion?: number },
  ): Promise<{ readonly version: number }>;

  /**
   * Returns the events in their order, from the index `from` on (default 0). A conversation that does not exist has
   * none.
   *
   * @throws {@link EventStoreError} when what is stored cannot be read; names file and line where there is one.
   */
  read(conversationId: string, options?: { readonly from?: number; readonly signal?: AbortSignal }): EventReading;

  /** Returns every conversation that holds an event, in no particular order. */
  list(): AsyncIterable<{ readonly conversationId: string; readonly version: number }>;

  /**
   * Opens a conversation for writing: until the writer is closed or has died, nobody else appends to it. Reading goes
   * on. A conversation that does not exist can be opened; it exists with its first event.
   *
   * Optional. Without this method, `expectedVersion` keeps two writers from overwriting each other, but not from acting
   * at the same time: one of them learns of the other only when it appends, after a model or tool call that is then
   * wasted.
   *
   * @throws {@link ConversationBusyError} when another writer has it, in this process or another one, made by this
   *   store or another one; {@link EventStoreError} when it cannot be opened.
   */
  openForWriting?(conversationId: string): Promise<ConversationWriter>;
}

/** The events of a conversation, one after another. */
export interface EventReading extends AsyncIterable<Event> {
  /**
   * Returns the same events in non-empty batches, so that a reader of many events awaits once per batch and not once
   * per event. The store chooses the size: a store that reads in blocks keeps one block in memory. Events before an
   * unreadable place are returned before the error. Optional.
   */
  batches?(): AsyncIterable<readonly Event[]>;
}

/** The exclusive right to append to one conversation: see {@link EventStore.openForWriting}. */
export interface ConversationWriter {
  /**
   * Appends events as {@link EventStore.append} does, to this conversation. It resolves only if the writer still had
   * the conversation after the events were stored.
   *
   * @throws as {@link EventStore.append} does; {@link WriterOustedError} when another writer has taken over, and
   *   {@link EventStoreError} after `close`.
   */
  append(
    events: readonly Event[],
    options?: { readonly expectedVersion?: number },
  ): Promise<{ readonly version: number }>;

  /** Waits for the appends that are under way and gives up the right to write. A second call does nothing. */
  close(): Promise<void>;
}

/**
 * Checks that a value can be a conversation id: a string of 1 to 512 characters. All characters are allowed; an id is
 * data and never a path.
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

/** Checks the version that a writer expects: a whole number of events, 0 or more. */
export function assertExpectedVersion(value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return;
  throw new EventStoreError(
    `Cannot append at version ${String(value)}: 'expectedVersion' has to be a whole number of events, 0 or more.`,
  );
}

/** Returns a reading for a store that provides its events in batches. Each iteration reads the store again. */
export function eventReading(
  batches: () => AsyncIterable<readonly Event[]>,
  signal: AbortSignal | undefined,
): EventReading {
  return {
    batches,
    async *[Symbol.asyncIterator]() {
      for await (const events of batches()) {
        for (const event of events) {
          signal?.throwIfAborted();
          yield event;
        }
      }
    },
  };
}
