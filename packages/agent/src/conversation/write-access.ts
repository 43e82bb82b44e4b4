import type { ConversationWriter, EventLog } from '@palimpsest/events';
import { ConversationClosedError } from '../errors.js';

/**
 * The right to append to a log, shared by the methods that need it at the same time: the first one opens the log for writing,
 * and the last one closes it.
 */
export class WriteAccess {
  readonly #log: EventLog;
  readonly #onOpened: (from: number) => void;
  readonly #holders = new Set<Promise<unknown>>();
  #opened: Promise<Pick<ConversationWriter, 'close'>> | undefined;
  #released: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** The length of the log when it was last open. Unit: events. */
  #heldTo: number;

  /** @param onOpened - called when the log is open, with the index of the first event that others may have appended meanwhile */
  constructor(log: EventLog, onOpened: (from: number) => void) {
    this.#log = log;
    this.#heldTo = log.length;
    this.#onOpened = onOpened;
  }

  /**
   * Does the work while nobody else writes.
   *
   * @throws ConversationBusyError when another writer holds the conversation, and {@link ConversationClosedError} after
   *   {@link WriteAccess.close}: then the work has not begun.
   */
  during<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#isClosed
      ? Promise.reject(new ConversationClosedError(this.#log.conversationId))
      : this.#hold(work);
    return done;
  }

  /** Waits for work that is under way. No more work may begin. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#holders);
    await this.#released;
  }

  #hold<T>(work: () => Promise<T>): Promise<T> {
    const opened = (this.#opened ??= this.#open());
    const working = opened.then(work);
    this.#holders.add(working);
    // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits for what it is returned
    return working.finally(async () => {
      this.#holders.delete(working);
      if (this.#holders.size === 0) await this.#release(opened);
    });
  }

  async #open(): Promise<Pick<ConversationWriter, 'close'>> {
    await this.#released;
    const writer = await this.#log.openForWriting();
    this.#onOpened(this.#heldTo);
    return writer;
  }

  async #release(opened: Promise<Pick<ConversationWriter, 'close'>>): Promise<void> {
    this.#opened = undefined;
    this.#heldTo = this.#log.length;
    // The events are stored, whatever becomes of the lock.
    this.#released = opened.then((writer) => writer.close()).catch(() => undefined);
    await this.#released;
  }
}
