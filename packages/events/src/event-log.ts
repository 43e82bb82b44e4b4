import { ConcurrencyError, DuplicateEventError, WriterOustedError } from './errors.js';
import type { Event } from './event.js';
import type { EventId } from './event-base.js';
import type { ConversationWriter, EventStore } from './event-store.js';
import { parseEvent } from './parse-event.js';

/** Called with each event after it is in the log. Errors and rejections are reported and otherwise ignored. */
export type EventObserver = (event: Event, index: number) => void;

/** Options of {@link EventLog}. */
export interface EventLogOptions {
  /** The store of the events. @defaultValue none: the log is in memory only */
  readonly store?: EventStore;
  /** Called with the error of an observer. @defaultValue errors of observers are ignored */
  readonly onObserverError?: (error: unknown, event: Event) => void;
}

/** An append that waits for its turn. */
interface WaitingAppend {
  readonly events: readonly Event[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The events of one conversation, in order. The log is the only source of truth: events are added at the end and never
 * changed. An append is stored before observers and readers see it. Concurrent appends take effect one after another.
 */
export class EventLog implements Iterable<Event> {
  readonly conversationId: string;
  readonly #store: EventStore | undefined;
  #writer: ConversationWriter | undefined;
  readonly #onObserverError: (error: unknown, event: Event) => void;
  readonly #events: Event[] = [];
  readonly #byId = new Map<EventId, Event>();
  readonly #observers = new Set<EventObserver>();
  /** Events of appends that failed since the last one that succeeded. The store may hold them: the answer can get lost. */
  readonly #unacknowledged = new Set<EventId>();
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** The appends of the last queued turn, until the turn begins. A new append may join them. */
  #joinable: WaitingAppend[] | undefined;

  /** Makes a new, empty log. To continue a stored log, use {@link EventLog.open}. */
  constructor(conversationId: string, options: EventLogOptions = {}) {
    this.conversationId = conversationId;
    this.#store = options.store;
    this.#onObserverError = options.onObserverError ?? (() => undefined);
  }

  /**
   * Opens the log of a stored conversation; an empty log if the conversation does not exist yet.
   *
   * @throws {@link EventStoreError} when the log cannot be read; {@link DuplicateEventError} when it contains an id twice.
   */
  static async open(
    conversationId: string,
    options: EventLogOptions & { readonly store: EventStore; readonly signal?: AbortSignal },
  ): Promise<EventLog> {
    const log = new EventLog(conversationId, options);
    for await (const events of log.#unread(options.signal)) for (const event of events) log.#addUnread(event);
    return log;
  }

  /** The number of events. */
  get length(): number {
    return this.#events.length;
  }

  /** Returns the event with this id. Cost: one look-up. */
  get(id: EventId): Event | undefined {
    return this.#byId.get(id);
  }

  /** Returns the event at an index; negative counts from the end. */
  at(index: number): Event | undefined {
    return this.#events.at(index);
  }

  /** Returns a copy of a part of the log. */
  slice(from?: number, to?: number): readonly Event[] {
    return this.#events.slice(from, to);
  }

  [Symbol.iterator](): Iterator<Event> {
    return this.#events[Symbol.iterator]();
  }

  /**
   * Appends events, all or none. Arrays are flattened, so that a whole log fits into one call. The events are stored
   * first, then added to the log, then passed to the observers one by one. While the log is open for writing, waiting
   * appends are stored together. If the store holds more events than the log, and all of them are of earlier appends of
   * this log that seemed to fail, the log takes them in first.
   *
   * @throws {@link InvalidEventError} when one is not an event.
   * @throws {@link DuplicateEventError} when an id is taken.
   * @throws {@link ConcurrencyError} and {@link EventStoreError} from the store. After each of these errors nothing was appended.
   */
  async append(...events: readonly (Event | readonly Event[])[]): Promise<void> {
    // Parsed now and not in its turn, because the caller may change the objects in between.
    const parsed = events.flat().map((event) => parseEvent(event));
    await new Promise<void>((resolve, reject) => {
      const append = { events: parsed, resolve, reject };
      if (this.#joinable !== undefined) {
        this.#joinable.push(append);
        return;
      }
      const group = [append];
      void this.#inTurn(() => {
        if (this.#joinable === group) this.#joinable = undefined;
        return this.#appendGroup(group);
      });
      this.#joinable = group;
    });
  }

  /**
   * Opens the conversation for writing, if the store supports it, and reads the events that others have appended. Observers see
   * them. Until `close`, no other log can append to the conversation. With a store without `openForWriting` it does nothing.
   *
   * @throws {@link ConversationBusyError} when another writer has the conversation; what the store throws.
   */
  async openForWriting(): Promise<Pick<ConversationWriter, 'close'>> {
    return this.#inTurn(async () => {
      const writer = await this.#store?.openForWriting?.(this.conversationId);
      if (writer === undefined) return { close: async () => undefined };
      try {
        // The writer knows the version, so nothing is read if there are no new events.
        const { version } = await writer.append([]);
        if (version !== this.#events.length) await this.#catchUp();
      } catch (error) {
        await writer.close();
        throw error;
      }
      this.#writer = writer;
      return { close: () => this.#inTurn(() => this.#close(writer)) };
    });
  }

  /** Reads the events that others have appended to the store; observers see them. */
  async catchUp(): Promise<void> {
    await this.#inTurn(() => this.#catchUp());
  }

  /** Calls the observer with every event from now on. Returns the function that ends it. */
  observe(observer: EventObserver): () => void {
    const own: EventObserver = (event, index) => observer(event, index);
    this.#observers.add(own);
    return () => void this.#observers.delete(own);
  }

  /** Never rejects: each append has a result of its own. If this log has a writer, the appends are stored together. */
  async #appendGroup(group: readonly WaitingAppend[]): Promise<void> {
    const parts = this.#writer === undefined ? group.map((append) => [append]) : [group];
    for (const part of parts) await this.#appendTogether(this.#withoutDuplicates(part));
  }

  async #appendTogether(appends: readonly WaitingAppend[]): Promise<void> {
    if (appends.length === 0) return;
    try {
      await this.#storeAll(appends.length === 1 ? (appends[0]?.events ?? []) : appends.flatMap(({ events }) => events));
    } catch (error) {
      if (appends.length > 1 && !WriterOustedError.isInstance(error)) {
        // Nothing was appended. Each append is tried alone, so that one bad append does not fail the others.
        for (const append of appends) await this.#appendTogether([append]);
      } else {
        for (const { reject } of appends) reject(error);
      }
      return;
    }
    for (const { events, resolve } of appends) {
      this.#addAll(events.filter(({ id }) => !this.#byId.has(id)));
      resolve();
    }
  }

  async #storeAll(events: readonly Event[]): Promise<void> {
    const isThere = ({ id }: Event): boolean => this.#byId.has(id);
    while (events.length === 0 || !events.some(isThere)) {
      const expected = { expectedVersion: this.#events.length };
      try {
        if (this.#writer === undefined) await this.#store?.append(this.conversationId, events, expected);
        else await this.#writer.append(events, expected);
        this.#unacknowledged.clear();
        return;
      } catch (error) {
        for (const { id } of events) this.#unacknowledged.add(id);
        if (!ConcurrencyError.isInstance(error) || !(await this.#takeInOwn())) throw error;
        // A store that has kept a part of an append has broken its contract: the rest must not be appended without it.
        if (events.some(isThere) && !events.every(isThere)) throw error;
      }
    }
  }

  /** Adds the unread events if each was appended by this log. False if there are none, or some of another writer. */
  async #takeInOwn(): Promise<boolean> {
    const own: Event[] = [];
    for await (const events of this.#unread()) {
      if (!events.every(({ id }) => this.#unacknowledged.has(id))) return false;
      own.push(...events);
    }
    this.#addAll(own);
    return own.length > 0;
  }

  #addAll(events: readonly Event[]): void {
    const first = this.#events.length;
    for (const event of events) this.#add(event);
    events.forEach((event, offset) => this.#notify(event, first + offset));
  }

  /** Returns the appends whose ids are all new. The others fail. */
  #withoutDuplicates(group: readonly WaitingAppend[]): readonly WaitingAppend[] {
    const taken = new Set<EventId>();
    return group.filter(({ events, reject }) => {
      const own = new Set<EventId>();
      for (const { id } of events) {
        if (this.#byId.has(id) || taken.has(id) || own.has(id)) {
          reject(new DuplicateEventError(id));
          return false;
        }
        own.add(id);
      }
      for (const id of own) taken.add(id);
      return true;
    });
  }

  async #catchUp(): Promise<void> {
    // Nobody else appends while this log has the writer.
    if (this.#writer !== undefined) return;
    for await (const events of this.#unread()) {
      for (const event of events) {
        this.#addUnread(event);
        this.#notify(event, this.#events.length - 1);
      }
    }
  }

  /** Returns the stored events that this log lacks, in batches if the store supports them. */
  async *#unread(signal?: AbortSignal): AsyncGenerator<readonly Event[], void, undefined> {
    if (this.#store === undefined) return;
    const from = this.#events.length;
    const reading = this.#store.read(this.conversationId, { from, signal });
    if (reading.batches !== undefined) yield* reading.batches();
    else for await (const event of reading) yield [event];
  }

  #addUnread(event: Event): void {
    if (this.#byId.has(event.id)) throw new DuplicateEventError(event.id);
    this.#add(event);
  }

  async #close(writer: ConversationWriter): Promise<void> {
    if (this.#writer === writer) this.#writer = undefined;
    await writer.close();
  }

  /** Runs reads and appends one after another, so that they never interleave. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#joinable = undefined;
    const done = this.#lastTurn.then(work);
    this.#lastTurn = done.catch(() => undefined);
    return done;
  }

  #add(event: Event): void {
    this.#events.push(event);
    this.#byId.set(event.id, event);
  }

  #notify(event: Event, index: number): void {
    // Iterates over a copy: an observer that is added meanwhile starts with the next event.
    for (const observer of [...this.#observers]) {
      if (!this.#observers.has(observer)) continue;
      try {
        const result: unknown = observer(event, index);
        if (result instanceof Promise) result.catch((error: unknown) => this.#report(error, event));
      } catch (error) {
        this.#report(error, event);
      }
    }
  }

  #report(error: unknown, event: Event): void {
    try {
      this.#onObserverError(error, event);
    } catch {
      // A reporter that throws must not break the append either.
    }
  }
}
