import { ConversationBusyError, EventStoreError, WriterOustedError } from '@palimpsest/events';
import type { Conversation } from '../conversation/conversation.js';
import { hasOpenRun } from '../conversation/earlier-run.js';
import { ConversationRunError } from '../errors.js';
import type { Instrumentation } from '../instrumentation.js';
import { deliver } from './runner.js';
import type { Inbox, RunEnd } from './runner.js';

/** Options of {@link ConversationWork}. */
export interface ConversationWorkOptions {
  /**
   * Opens a conversation with its agent, store and limits: `(conversationId) => Conversation.open({ agent, store, conversationId })`. It
   * may return the same object for the same id, so that the application can send messages to it during a run.
   */
  readonly open: (conversationId: string) => Promise<Conversation>;
  /** Called with what came of each request. It must not throw. */
  readonly onEnd: (end: RunEnd) => void;
  /**
   * Messages for conversations, put in by processes that need not hold them: delivered before a run, and to the model's next call during
   * one. Enqueue the conversation after each message. @defaultValue messages are sent by `Conversation.send`
   */
  readonly inbox?: Inbox;
  /**
   * The agent's instrumentation, with which the trace of whoever enqueues is kept with the request: the run's span links to it.
   * @defaultValue nothing is kept
   */
  readonly instrumentation?: Pick<Instrumentation, 'traceparent'>;
  /**
   * After what time a conversation is tried again that another process holds, or whose store could not be reached. Unit: milliseconds.
   * @defaultValue 1000
   */
  readonly retryMs?: number;
  /** The number of times in a row that a request is tried again whose store cannot be read or written. @defaultValue 60 */
  readonly maxStoreRetries?: number;
}

/**
 * One request: a run of a conversation to its end. A conversation that another process holds is waited for, and never touched. For
 * runners of your own.
 */
export class ConversationWork {
  readonly conversationId: string;
  readonly #options: ConversationWorkOptions;
  readonly #requestedBy: readonly string[] | Promise<readonly string[]>;
  readonly #stopped = new AbortController();
  readonly #interrupted = new AbortController();
  #conversation: Conversation | undefined;
  #isCancelled = false;

  /** @param requestedBy - the traces of the requests, as `instrumentation` gave them */
  constructor(
    conversationId: string,
    options: ConversationWorkOptions,
    requestedBy: readonly string[] | Promise<readonly string[]> = [],
  ) {
    this.conversationId = conversationId;
    this.#options = options;
    this.#requestedBy = requestedBy;
  }

  /**
   * Runs. Resolves to `over` when the request is served or cancelled, also by a failure that is told to `onEnd`; to `handed-over` when
   * {@link ConversationWork.stop} came first, or `isMine` said that the request is another worker's by now.
   *
   * @param isMine - asked before each further try
   */
  async done(isMine: () => Promise<boolean> = async () => true): Promise<'over' | 'handed-over'> {
    const { onEnd, retryMs = 1_000, maxStoreRetries = 60 } = this.#options;
    const { conversationId } = this;
    let failures = 0;
    let length = 0;
    for (;;) {
      try {
        const outcome = await this.#run();
        if (outcome !== undefined && outcome.status !== 'released') {
          onEnd({ type: 'ended', conversationId, outcome });
          return 'over';
        }
      } catch (error) {
        const isBusy = isOf(error, [ConversationBusyError, WriterOustedError]);
        const progress = this.#conversation?.events.length ?? 0;
        failures = isBusy || progress > length ? 0 : failures + 1;
        length = Math.max(length, progress);
        const isTransient = isBusy || (isOf(error, [EventStoreError]) && failures <= maxStoreRetries);
        onEnd({ type: 'failed', conversationId, error, ...(isTransient ? { retryInMs: retryMs } : {}) });
        if (!isTransient) return 'over';
        await elapsed(retryMs, AbortSignal.any([this.#stopped.signal, this.#interrupted.signal]));
      }
      if (this.#isCancelled) {
        onEnd({ type: 'cancelled', conversationId });
        return 'over';
      }
      if (!this.#stopped.signal.aborted && (await isMine().catch(() => true))) continue;
      // Nothing of it goes on here, not even in the background: it is paid for elsewhere.
      this.#interrupted.abort(new Error('The run was handed over.'));
      onEnd({ type: 'handed-over', conversationId });
      return 'handed-over';
    }
  }

  /**
   * Waits for the condensation that the run has left in the background, and appends it. The conversation is not held meanwhile; one that
   * another process holds is waited for. Resolves in any case, at the latest when a stop or an interrupt gives it up: what was not appended
   * is made again by whoever runs the conversation next.
   */
  async settled(): Promise<void> {
    const { retryMs = 1_000, maxStoreRetries = 60 } = this.#options;
    for (let failures = 0; failures <= maxStoreRetries && !this.#interrupted.signal.aborted;) {
      try {
        return await this.#conversation?.settle({ signal: this.#interrupted.signal });
      } catch (error) {
        const isBusy = isOf(error, [ConversationBusyError]);
        if (!isBusy && !isOf(error, [EventStoreError])) return;
        failures = isBusy ? 0 : failures + 1;
        if (this.#stopped.signal.aborted) return;
        await elapsed(retryMs, AbortSignal.any([this.#stopped.signal, this.#interrupted.signal]));
      }
    }
  }

  /**
   * Ends a request that was cancelled and whose worker is lost: if the log still says that a run is under way, appends that it is
   * paused, and calls `onEnd`. Nothing else is done.
   *
   * @returns false: another process holds the conversation, or the store did not answer; to be called again.
   */
  async endOpenRun(): Promise<boolean> {
    this.cancel();
    const { conversationId } = this;
    const { open, onEnd } = this.#options;
    try {
      const conversation = await unlessAborted(open(conversationId), this.#stopped.signal);
      if (conversation === undefined) return false;
      if (!hasOpenRun(conversation.events)) return true;
      const outcome = await conversation.run({
        signal: this.#interrupted.signal,
        requestedBy: await this.#requestedBy,
      });
      onEnd({ type: 'ended', conversationId, outcome });
    } catch (error) {
      if (isOf(error, [ConversationBusyError, WriterOustedError, EventStoreError])) return false;
      onEnd({ type: 'failed', conversationId, error });
    }
    return true;
  }

  /** Ends the run after its present step, so that another worker goes on with it. */
  stop(): void {
    this.#stopped.abort();
    this.#conversation?.release();
  }

  /** Ends the run now, and the request with it: the log says that the run is paused. */
  cancel(): void {
    this.#isCancelled = true;
    this.#interrupted.abort(new Error('The run was cancelled.'));
  }

  /** Ends the run now, so that another worker goes on with it. */
  interrupt(): void {
    this.stop();
    this.#interrupted.abort(new Error('The worker was stopped.'));
  }

  #isToEnd(): boolean {
    return this.#stopped.signal.aborted || this.#isCancelled;
  }

  async #run() {
    this.#conversation = undefined;
    const { signal } = this.#interrupted;
    // A store that does not answer holds nobody up who ends the run.
    const conversation = await unlessAborted(this.#options.open(this.conversationId), signal);
    if (conversation === undefined || this.#isToEnd()) return undefined;
    this.#conversation = conversation;
    const { inbox } = this.#options;
    const requestedBy = await this.#requestedBy;
    const run = () => conversation.run({ signal, requestedBy });
    if (inbox === undefined) return run();
    return conversation.hold(async () => {
      await unlessAborted(deliver(conversation, inbox), signal);
      // Nothing has begun: the log must not say that it is paused, nor may the run begin after all.
      if (this.#isToEnd()) return undefined;
      const deliveries = new Deliveries(conversation, inbox);
      try {
        return await run();
      } finally {
        await unlessAborted(deliveries.end(), signal);
      }
    });
  }
}

/** Looks into the inbox with each result of an action and each model call of a run. One look at a time. */
class Deliveries {
  readonly #stop: () => void;
  #isOver = false;
  #isDue = false;
  #last: Promise<void> | undefined;

  constructor(conversation: Conversation, inbox: Inbox) {
    this.#stop = conversation.events.observe(({ type }) => {
      if (type !== 'observation' && type !== 'agent-error' && type !== 'llm-usage') return;
      this.#isDue = true;
      // What cannot be delivered now still waits: for the next look, or for the run that its sender has asked for.
      this.#last ??= this.#deliver(conversation, inbox)
        .catch(() => undefined)
        .finally(() => (this.#last = undefined));
    });
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.#stop();
    await this.#last;
  }

  async #deliver(conversation: Conversation, inbox: Inbox): Promise<void> {
    while (this.#isDue && !this.#isOver) {
      this.#isDue = false;
      await deliver(conversation, inbox);
    }
  }
}

/** Reports whether the error, or the reason of a run that failed, is one of these. */
function isOf(error: unknown, types: readonly { isInstance(value: unknown): boolean }[]): boolean {
  const reason = ConversationRunError.isInstance(error) ? error.cause : error;
  return types.some((type) => type.isInstance(reason));
}

/** Resolves after a time, or when the signal is aborted. */
async function elapsed(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await unlessAborted(new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))), signal);
  clearTimeout(timer);
}

/** Settles as the work does; resolves to undefined when the signal is aborted before. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const end = () => resolve(undefined);
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

/**
 * The present work of a worker: runs of conversations, and the condensations that ended runs have left in the background, which
 * take no place. For runners of your own.
 */
export class RunningWork {
  readonly #running = new Map<ConversationWork, Promise<unknown>>();
  readonly #settling = new Map<ConversationWork, Promise<unknown>>();

  /** The conversations that run now. */
  get conversationIds(): readonly string[] {
    return [...this.#running.keys()].map(({ conversationId }) => conversationId);
  }

  /** Runs, as {@link ConversationWork.done}. Nobody waits for what it leaves in the background. */
  async run(work: ConversationWork, isMine?: () => Promise<boolean>): Promise<'over' | 'handed-over'> {
    const done = work.done(isMine);
    this.#running.set(work, done);
    try {
      const end = await done;
      if (end === 'over') {
        const settled = work.settled().finally(() => this.#settling.delete(work));
        this.#settling.set(work, settled);
      }
      return end;
    } finally {
      this.#running.delete(work);
    }
  }

  /** Cancels the run of a conversation, if it runs here. Resolves to how many runs that were. */
  cancel(conversationId: string): number {
    const works = [...this.#running.keys()].filter((work) => work.conversationId === conversationId);
    for (const work of works) work.cancel();
    return works.length;
  }

  /**
   * Stops all: each run ends after its present step, and is interrupted after the grace. Resolves when all have ended.
   *
   * @param options - `graceMs`: unit milliseconds. @defaultValue 30000
   */
  async stop({ graceMs = 30_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    const all = () => [...this.#running.keys(), ...this.#settling.keys()];
    for (const one of all()) one.stop();
    const timer = setTimeout(() => {
      for (const one of all()) one.interrupt();
    }, graceMs);
    await Promise.allSettled(this.#running.values());
    await Promise.allSettled(this.#settling.values());
    clearTimeout(timer);
  }
}
