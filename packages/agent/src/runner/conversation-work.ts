import { ConversationBusyError, EventStoreError, WriterOustedError } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { Conversation } from '../conversation/conversation.js';
import { hasOpenRun } from '../conversation/earlier-run.js';
import type { Instrumentation } from '../instrumentation.js';
import { isOf, retryReason } from './retry.js';
import type { RetryReason } from './retry.js';
import { deliver } from './runner.js';
import type { Inbox, RunEnd } from './runner.js';
import { elapsed, unlessAborted } from './waits.js';

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
   * After what time a conversation is tried again that another process holds, or whose store or model failed. It is doubled with each
   * try, up to 10 seconds for the first and 5 minutes for the others, and takes no place meanwhile. Unit: milliseconds. @defaultValue 1000
   */
  readonly retryMs?: number;
  /** The number of times in a row that a request is tried again whose store cannot be read or written. @defaultValue 60 */
  readonly maxStoreRetries?: number;
  /**
   * The time for which a request is tried again whose model fails with a retryable error. Unit: milliseconds since the first failure.
   * @defaultValue 86,400,000: a day
   */
  readonly maxRetryAgeMs?: number;
  /**
   * The longest time that a run may take. Then it is interrupted, as by a cancel: the log says that it is paused. Unit: milliseconds.
   * @defaultValue no bound. A model that is silent is given up by its own `timeoutMs`.
   */
  readonly maxRunMs?: number;
}

/** The end of one try of a {@link ConversationWork}. */
export type WorkEnd =
  /** The request is served or cancelled, also by a failure; it was told to `onEnd`. */
  | { readonly type: 'over' }
  /** Another worker goes on; it was told to `onEnd`. */
  | { readonly type: 'handed-over' }
  /** To be tried again later, without a place meanwhile. It was not told to `onEnd`: the runner knows when it tries again. */
  | ({ readonly type: 'again'; readonly error: unknown } & RetryReason);

type Again = Extract<WorkEnd, { readonly type: 'again' }>;

/** Calls of a {@link ConversationWork} to its runner. */
export interface WorkHooks {
  /**
   * Called when the conversation is held and nothing of it is done: messages that were put in before are read by this run. Resolve to
   * false if the request is another worker's by now.
   */
  readonly begin?: () => Promise<boolean>;
  /** Called with each event that the run stores. It must not throw. */
  readonly onEvent?: (event: Event) => void;
}

/**
 * One request: a run of a conversation to its end. A conversation that another process holds is never touched. For runners of your
 * own.
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

  /** Tries once. Never rejects. */
  async done(hooks: WorkHooks = {}): Promise<WorkEnd> {
    const { onEnd } = this.#options;
    const { conversationId } = this;
    let again: Again;
    try {
      const outcome = await this.#run(hooks);
      if (outcome === 'lost') return this.#handedOver();
      if (outcome !== undefined && outcome.status !== 'released') {
        onEnd({ type: 'ended', conversationId, outcome });
        return { type: 'over' };
      }
      const what = outcome === undefined ? 'did not begin within maxRunMs' : 'was released';
      again = { type: 'again', reason: 'store', error: new Error(`The run of '${conversationId}' ${what}.`) };
    } catch (error) {
      const reason = retryReason(error);
      if (reason === undefined) {
        onEnd({ type: 'failed', conversationId, error });
        return { type: 'over' };
      }
      again = { type: 'again', error, ...reason };
    }
    if (this.#isCancelled) {
      onEnd({ type: 'cancelled', conversationId });
      return { type: 'over' };
    }
    return this.#stopped.signal.aborted ? this.#handedOver() : again;
  }

  #handedOver(): WorkEnd {
    // Nothing of it goes on here, not even in the background: it is paid for elsewhere.
    this.#interrupted.abort(new Error('The run was handed over.'));
    this.#options.onEnd({ type: 'handed-over', conversationId: this.conversationId });
    return { type: 'handed-over' };
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

  async #run({ begin, onEvent }: WorkHooks) {
    this.#conversation = undefined;
    const { inbox, maxRunMs } = this.#options;
    const deadline = maxRunMs === undefined ? undefined : AbortSignal.timeout(maxRunMs);
    const signal =
      deadline === undefined ? this.#interrupted.signal : AbortSignal.any([this.#interrupted.signal, deadline]);
    // A store that does not answer holds nobody up who ends the run.
    const conversation = await unlessAborted(this.#options.open(this.conversationId), signal);
    if (conversation === undefined || this.#isToEnd()) return undefined;
    this.#conversation = conversation;
    const requestedBy = await this.#requestedBy;
    return conversation.hold(async () => {
      if (begin !== undefined && (await unlessAborted(begin(), signal)) === false) return 'lost' as const;
      if (inbox !== undefined) await unlessAborted(deliver(conversation, inbox), signal);
      // Nothing has begun: the log must not say that it is paused, nor may the run begin after all.
      if (signal.aborted || this.#isToEnd()) return undefined;
      const stopObserving = onEvent === undefined ? undefined : conversation.events.observe(onEvent);
      const deliveries = inbox === undefined ? undefined : new Deliveries(conversation, inbox);
      try {
        return await conversation.run({ signal, requestedBy });
      } finally {
        stopObserving?.();
        await unlessAborted(deliveries?.end() ?? Promise.resolve(), signal);
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
