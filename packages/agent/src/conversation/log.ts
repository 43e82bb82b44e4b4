import { isUserMessage, wellFormedEvent } from '@palimpsest/events';
import type { ActionEvent, ConversationWriter, CreateEvent, Event, EventId, EventLog } from '@palimpsest/events';
import type { Delta } from '@palimpsest/llm-adapters';
import { ConversationClosedError } from '../errors.js';
import { note } from '../notes.prompt.js';
import { isStatus } from '../outcome.js';
import type { ConversationStatus } from '../outcome.js';
import { secretLabel, secretMask } from '../secrets/mask.js';
import type { SecretMask } from '../secrets/mask.js';
import { ConversationStateProjection } from '../state.js';
import type { StepOptions } from '../step.js';
import type { ConversationOptions, FollowOptions, LiveChannel } from './options.js';

/**
 * The log of a conversation with all that follows from it, up to date after each event: the state that a step reads, and the
 * status. Secrets are masked before an event is stored.
 */
export class MaskedLog {
  readonly events: EventLog;
  readonly state: ConversationStateProjection;
  readonly secrets: SecretMask;
  readonly createEvent: CreateEvent;
  readonly #hasSecrets: boolean;
  /** Actions of another process or conversation whose arguments held a secret: the log has only its label. */
  readonly #withoutSecrets = new Set<EventId>();
  /** Actions that were masked in the log, as they must be carried out. */
  readonly #asWritten = new Map<EventId, ActionEvent>();
  #status: ConversationStatus = 'idle';

  constructor(events: EventLog, { agent, secrets, view }: ConversationOptions) {
    this.events = events;
    this.#hasSecrets = secrets !== undefined;
    this.secrets = secrets ?? secretMask({});
    this.createEvent = agent.createEvent;
    this.state = new ConversationStateProjection({
      conversationId: events.conversationId,
      view: { thinking: agent.thinking, ...view },
    });
    for (const event of events) this.#follow(event);
    this.markForeignCalls(0);
    events.observe((event) => this.#follow(event));
  }

  get status(): ConversationStatus {
    return this.#status;
  }

  /** Sets the status of this process. The log is not changed: see {@link MaskedLog.setStatus}. */
  set status(value: ConversationStatus) {
    this.#status = value;
  }

  /** Appends the new status, and what is said together with it, before it. */
  async setStatus(value: ConversationStatus, ...before: readonly Event[]): Promise<void> {
    await this.append(before, this.createEvent('conversation-state-update', { key: 'status', value }));
    this.#status = value;
  }

  /** Appends events, all or none. Without any it does nothing. */
  async append(...events: readonly (Event | readonly Event[])[]): Promise<void> {
    await this.copy(events.flat().map(wellFormedEvent));
  }

  /** Appends events that stood in a log before: they stay as they are, except for secrets. */
  async copy(events: readonly Event[]): Promise<void> {
    if (events.length === 0) return;
    const masked = events.map((event) => {
      const logged = this.secrets(event);
      if (logged !== event && event.type === 'action') this.#asWritten.set(event.id, event);
      return logged;
    });
    await this.events.append(masked);
  }

  /** Appends a note that the model reads. */
  async tell(text: string): Promise<void> {
    await this.append(note(text, this.createEvent));
  }

  /** Returns options for a step that emits into this log. */
  stepOptions(signal: AbortSignal | undefined): StepOptions {
    return { onEvents: (batch) => this.append(batch), secrets: this.secrets, signal };
  }

  /**
   * Marks the events from an index on as appended by others, or by a process that has ended: nobody runs the conversation now, and
   * the secrets in the arguments of open actions are not known.
   */
  markForeignCalls(from: number): void {
    if (this.#status === 'running') this.#status = 'idle';
    if (!this.#hasSecrets) return;
    const ids = new Set(this.events.slice(from).map(({ id }) => id));
    for (const { id, toolCall } of this.state.pendingActions) {
      if (ids.has(id) && secretLabel.test(toolCall.arguments)) this.#withoutSecrets.add(id);
    }
  }

  /** Reports whether the arguments of an action held a secret that is not known any more. */
  isMissingSecret({ id }: ActionEvent): boolean {
    return this.#withoutSecrets.has(id);
  }

  #follow(event: Event): void {
    // Masked here too: others append to the same log, and an event can be older than the secret.
    this.state.append(this.secrets(event), this.#asWritten.get(event.id));
    this.#asWritten.delete(event.id);
    if (event.type === 'conversation-state-update' && event.key === 'status' && isStatus(event.value)) {
      this.#status = event.value;
    }
    if (isUserMessage(event) && ['finished', 'stuck'].includes(this.#status)) this.#status = 'idle';
  }
}

/** The interval at which a waiting reader looks for events of other processes. Unit: milliseconds. */
const pollMs = 500;
/** The same while the reader is told of appends: what gets lost is found by the next look. */
const livePollMs = 5_000;
/** The shortest time between two looks of a reader that is told: a look is a statement, whatever was appended. Unit: milliseconds. */
const lookPauseMs = 500;

/**
 * Yields the events of a log from an index on, and new events as they come, until the signal is aborted. It reads from the
 * log itself, so a slow reader delays nobody and misses nothing. A waiting reader looks in the log's store, if there is one,
 * for events that other processes have appended: when it is told of them, and now and then.
 */
export async function* eventStream(
  log: EventLog,
  options: FollowOptions & { readonly isStored: boolean; readonly live: LiveChannel | undefined },
): AsyncGenerator<Event, void, undefined> {
  const { signal, live, onDelta, isStored } = options;
  let wake: (() => void) | undefined;
  const wakeUp = (): void => wake?.();
  const stop = log.observe(wakeUp);
  signal?.addEventListener('abort', wakeUp);
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** The time of the next look, if the reader was told of appends since the last one. */
  let lookAt: number | undefined;
  const subscription = live?.subscribe(log.conversationId, {
    appended() {
      lookAt ??= Math.max(performance.now(), lookedAt + lookPauseMs);
      wakeUp();
    },
    delta: onDelta === undefined ? () => undefined : withErrorsIgnored(onDelta),
  });
  try {
    for (let index = options.from ?? 0; signal?.aborted !== true;) {
      const event = log.at(index);
      if (event !== undefined) {
        index++;
        yield event;
        continue;
      }
      const poll = subscription?.isLive === true ? livePollMs : pollMs;
      const waitMs = lookAt === undefined ? poll : lookAt - performance.now();
      let isTime = waitMs <= 0;
      if (!isTime) {
        const woken = new Promise<void>((resolve) => (wake = resolve));
        const timeIsUp = () => {
          isTime = true;
          wakeUp();
        };
        const timer = isStored ? setTimeout(timeIsUp, waitMs) : undefined;
        // Waiting alone does not keep the process alive.
        (timer as { unref?: () => void } | undefined)?.unref?.();
        await woken;
        clearTimeout(timer);
      }
      if (!isTime || log.at(index) !== undefined) continue;
      lookAt = undefined;
      lookedAt = performance.now();
      await log.catchUp();
    }
  } finally {
    stop();
    subscription?.end();
    signal?.removeEventListener('abort', wakeUp);
  }
}

/** Wraps a listener so that its errors are ignored. */
export function withErrorsIgnored(onDelta: (delta: Delta) => unknown): (delta: Delta) => void {
  return (delta) => {
    try {
      const result = onDelta(delta);
      if (result instanceof Promise) result.catch(() => undefined);
    } catch {
      // A display that fails must not end the run.
    }
  };
}

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
