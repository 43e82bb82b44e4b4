import { ConversationBusyError, EventLog, isMeaningful, newEventId } from '@palimpsest/events';
import type { ActionEvent, Condensation, ContentPart, CreateEvent, Event, EventId } from '@palimpsest/events';
import { pin, unpin } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { Agent } from '../agent.js';
import { assertFocus } from '../condensing/condense.js';
import { confirmedBy } from '../confirmation.js';
import { CondensationNotSupportedError, ConversationClosedError, EventNotInViewError } from '../errors.js';
import { assertLimits } from '../limits.js';
import type { ConversationStatus, RunOutcome } from '../outcome.js';
import { Decisions } from './decisions.js';
import { eventStream, MaskedLog, WriteAccess } from './log.js';
import type { ConversationOptions, FollowOptions, ForkOptions, RequestOptions, RunOptions } from './options.js';
import { askSideQuestion, RequestedCondensation } from './requests.js';
import { Run } from './run.js';
import { StandingContext } from './standing-context.js';

/**
 * The run loop of an agent over one event log. Each message, call and result is stored before anybody acts on it, so a
 * conversation continues from any log, whatever happened to the process that wrote it.
 *
 * A method that appends holds the log open for writing until it resolves, if the store supports that: other writers get a
 * `ConversationBusyError` meanwhile, and the events that they appended before are read first. A conversation that is idle,
 * paused or waiting for confirmation does not hold the log.
 */
export class Conversation {
  readonly id: string;
  /** The log. Observe it to follow a run. */
  readonly events: EventLog;
  readonly #agent: Agent;
  readonly #options: ConversationOptions;
  readonly #log: MaskedLog;
  readonly #standingContext: StandingContext;
  readonly #requestedCondensation: RequestedCondensation;
  readonly #access: WriteAccess;
  readonly #decisions: Decisions;
  /** Ends what runs have begun. */
  readonly #closing = new AbortController();
  /** Not derived from the status: the status is stored in the log, and others may append to it. */
  #run: Run | undefined;

  private constructor(events: EventLog, options: ConversationOptions) {
    const { agent } = options;
    this.#options = options;
    this.id = events.conversationId;
    this.events = events;
    this.#agent = agent;
    this.#log = new MaskedLog(events, options);
    this.#standingContext = new StandingContext(agent, this.#log);
    this.#requestedCondensation = new RequestedCondensation(agent, this.#log);
    this.#access = new WriteAccess(events, (from) => this.#caughtUp(from));
    this.#decisions = new Decisions(agent, this.#log, this.#access, () => this.#run !== undefined);
  }

  /**
   * Opens a conversation: a new one, or the stored one with this id. Nothing is written before {@link Conversation.send} or
   * {@link Conversation.run}.
   *
   * @throws {@link EventStoreError} when the stored log cannot be read; RangeError when a limit is out of range.
   */
  static async open(options: ConversationOptions): Promise<Conversation> {
    assertLimits(options.limits ?? {});
    const { conversationId = newEventId(), store } = options;
    const events = store === undefined ? new EventLog(conversationId) : await EventLog.open(conversationId, { store });
    return new Conversation(events, options);
  }

  /** The view before the condenser of the next step. */
  get view(): View {
    return this.#log.state.view;
  }

  get status(): ConversationStatus {
    return this.#log.status;
  }

  /**
   * Appends a message of the user. During a run the model reads it with its next call.
   *
   * @param options - `id`: the event's, so that a message which is sent again is not appended again. @defaultValue a new one
   * @throws TypeError when the message is empty, because providers refuse empty messages.
   * @throws {@link DuplicateEventError} when the log holds the id.
   * @throws {@link ConversationBusyError} when another writer holds the conversation.
   * @throws what the store throws.
   */
  async send(content: string | readonly ContentPart[], options: { readonly id?: EventId } = {}): Promise<void> {
    const parts: readonly ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    if (!parts.some(isMeaningful)) throw new TypeError('A message must hold some text or an image.');
    await this.#access.during(() => this.#send(parts, options));
  }

  async #send(content: readonly ContentPart[], id: { readonly id?: EventId }): Promise<void> {
    await this.#standingContext.ensureSystemPrompt();
    await this.#log.append(this.#agent.createEvent('message', { ...id, source: 'user', role: 'user', content }));
    // The message is stored. If the context cannot be appended now, the next run appends it, or fails.
    await this.#standingContext.append().catch(() => undefined);
  }

  /**
   * Takes steps until the model finishes, an action waits for confirmation, the run is stuck, an answer stays incomplete,
   * {@link Conversation.pause} takes effect, or the signal is aborted. First, actions that an earlier run left without a result are answered as
   * interrupted, except actions that wait for confirmation, actions that were confirmed and have not begun, and actions of
   * repeatable tools. A conversation that is finished or stuck stays so until the user sends a message: until then `run`
   * resolves at once, without a step.
   *
   * @throws {@link ConversationRunError} when a step fails or a limit is reached; the log then holds a `conversation-error`,
   *   and the status is `error`. When `cause` is a {@link ConcurrencyError} or a {@link WriterOustedError}, another writer has the
   *   conversation, and nothing is appended. {@link ConversationBusyError} when a run is under way, in this process or another
   *   one.
   */
  async run(options: RunOptions = {}): Promise<RunOutcome> {
    this.#assertNoRun();
    const signal =
      options.signal === undefined ? this.#closing.signal : AbortSignal.any([this.#closing.signal, options.signal]);
    const run = new Run(
      {
        log: this.#log,
        standingContext: this.#standingContext,
        requestedCondensation: this.#requestedCondensation,
        options: this.#options,
      },
      { ...options, signal },
    );
    this.#run = run;
    try {
      return await this.#access.during(() => run.outcome());
    } finally {
      this.#run = undefined;
    }
  }

  /**
   * Does the work while nobody else writes: what it calls of this conversation opens the log once and not each time. For
   * {@link Conversation.send} and {@link Conversation.run} together.
   *
   * @throws {@link ConversationBusyError} when another writer holds the conversation; then the work has not begun. What the work throws.
   */
  hold<T>(work: () => Promise<T>): Promise<T> {
    return this.#access.during(work);
  }

  /**
   * Ends the run after its present step, as {@link Conversation.pause} does, and appends nothing: for the log, the run goes on. The next
   * {@link Conversation.run}, in this process or another one, continues it, within what is left of its limits. Without a run it does
   * nothing.
   */
  release(): void {
    this.#run?.release();
  }

  /**
   * Waits for a condensation that the last run has left in the background, and appends it, as far as it still fits: what others
   * have appended meanwhile is read first. The right to write is taken only when it is ready, so that nobody who confirms or
   * sends has to wait for it. Without one it resolves at once. During a run it leaves it to the run. After a failure it can be
   * called again.
   *
   * @throws {@link ConversationBusyError} when another writer holds the conversation.
   * @throws the signal's reason, and what the store throws.
   */
  async settle(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#run !== undefined) return;
    const during = (work: () => Promise<boolean>) =>
      this.#access.during(async () => this.#run === undefined && (await work()));
    await this.#requestedCondensation.takePending(during, options.signal);
  }

  /**
   * Interrupts the run, waits for work that is under way, and releases the log. Afterwards the conversation can be read and
   * forked, and every method that appends throws {@link ConversationClosedError}. The store stays open. A condensation that a run has left in
   * the background is given up, and its model call is aborted: {@link Conversation.settle} before it keeps it.
   */
  async close(): Promise<void> {
    this.interrupt();
    this.#closing.abort(new ConversationClosedError(this.id));
    await this.#access.close();
  }

  /** Ends the run after its present step. Without a run it does nothing. */
  pause(): void {
    this.#run?.pause();
  }

  /**
   * Ends the run now: the model call and the running tools are aborted, calls that have not begun are answered as
   * interrupted, and the run resolves as paused. Without a run it does nothing.
   */
  interrupt(): void {
    this.#run?.interrupt();
  }

  /** The actions that wait for confirmation. */
  get waitingActions(): readonly ActionEvent[] {
    return this.#decisions.waiting;
  }

  /**
   * Resolves when no action waits: somebody has confirmed or rejected the actions, in this process or another one, whose events
   * are seen within half a second. Then {@link Conversation.run} goes on. Waiting alone does not keep the process alive.
   *
   * @throws the signal's reason when it is aborted.
   */
  async answered(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const { signal } = options;
    signal?.throwIfAborted();
    await this.events.catchUp();
    if (this.waitingActions.length === 0) return;
    for await (const _event of this.follow({ from: this.events.length, signal })) {
      if (this.waitingActions.length === 0) return;
    }
    signal?.throwIfAborted();
  }

  /**
   * Confirms the actions that wait. The next {@link Conversation.run} carries them out, in this process or another one.
   * Without such actions it does nothing. Resolves to the actions that it has confirmed.
   *
   * @param options - `actions`: the ids of those that the user was shown. Others still wait, such as those of a response that
   *   another process has got meanwhile. @defaultValue all that wait
   */
  async confirm(options: { readonly actions?: Iterable<EventId> } = {}): Promise<readonly ActionEvent[]> {
    return this.#decisions.confirm(options.actions);
  }

  /**
   * Rejects all actions without a result, with a reason that the model reads. Without such actions, and during a run, it does
   * nothing. Resolves to the actions that it has rejected.
   *
   * @param options - `actions`: the ids of those that are rejected. Others still wait; those that need no confirmation, or have one,
   *   are carried out by the next {@link Conversation.run} when none waits any more. @defaultValue all without a result
   */
  async reject(
    reason = 'The user did not allow it.',
    options: { readonly actions?: Iterable<EventId> } = {},
  ): Promise<readonly ActionEvent[]> {
    return this.#decisions.reject(reason, options.actions);
  }

  /**
   * Puts a question to the model outside the conversation. The model reads the present view and may not call tools. Only the
   * usage is appended to the log. Possible during a run.
   *
   * @throws what the model's adapter throws.
   */
  async ask(question: string, options: { readonly signal?: AbortSignal } = {}): Promise<string> {
    return this.#access.during(async () => {
      const { answer, costs } = await askSideQuestion(
        question,
        this.#agent,
        this.#log.state,
        this.#log.secrets,
        options.signal,
      );
      await this.#log.append(costs);
      return answer;
    });
  }

  /**
   * Makes a new conversation that begins with the events of this one and has the same agent, policies and limits.
   * Confirmations are not copied, and calls that run here are answered there as interrupted.
   *
   * @throws RangeError when there is no event `at`, or the store holds a conversation of that id.
   * @throws what the store throws.
   */
  async fork({ at, agent, ...options }: ForkOptions = {}): Promise<Conversation> {
    // Events that others have appended are copied, too.
    await this.events.catchUp();
    const events = forkedEvents(this.events, at, this.#agent.createEvent);
    const { store: _store, conversationId: _id, ...own } = this.#options;
    const fork = await Conversation.open({ ...own, agent: agent ?? own.agent, ...options });
    await fork.#access.during(async () => {
      if (fork.events.length > 0) {
        throw new RangeError(`The store holds a conversation '${fork.id}' already; give the fork another id.`);
      }
      await fork.#log.copy(events);
    });
    fork.#log.markForeignCalls(0);
    return fork;
  }

  /**
   * Yields the events from an index on, and new events as they come, until the signal is aborted. A slow reader delays
   * nobody. Events that other processes append are seen within half a second; with the option `live` at once, and at the latest
   * within five seconds.
   */
  follow(options: FollowOptions = {}): AsyncIterable<Event> {
    const { store, live } = this.#options;
    return eventStream(this.events, { ...options, isStored: store !== undefined, live });
  }

  /**
   * Requests a condensation and calls the condenser; the agent runs no tool and calls no model. During a run only the request is
   * appended, and the next step acts on it. While a condensation is under way, this method waits for it. Resolves to the
   * condensation, or to undefined during a run and when nothing could be condensed. The newest `condensation-attempt` then says
   * why.
   *
   * @throws {@link CondensationNotSupportedError} when the condenser does not handle requests; RangeError when the focus is too
   *   long. Nothing is appended then.
   */
  async condense(options: RequestOptions = {}): Promise<Condensation | undefined> {
    const condenser = options.condenser ?? this.#agent.condenser;
    if (condenser?.handlesCondensationRequests !== true) throw new CondensationNotSupportedError(condenser?.name);
    assertFocus(options.focus);
    return this.#access.during(() => this.#requestedCondensation.make(options, () => this.#run !== undefined));
  }

  /**
   * Pins events: from now on no condensation forgets or masks them, one that is under way included. Pinning a call or a result pins
   * its whole batch. Possible during a run. An event that is pinned already is pinned once. Resolves to the ids that the pin names.
   *
   * @throws {@link EventNotInViewError} when an event is not in the view, because it is hidden or the log has none such: a pin brings
   *   nothing back. Nothing is appended then.
   */
  async pin(
    ids: EventId | readonly EventId[],
    options: { readonly reason?: string } = {},
  ): Promise<readonly EventId[]> {
    return this.#access.during(() => this.#appendPin(pin, ids, options.reason));
  }

  /**
   * Ends {@link Conversation.pin} for some events. What is not pinned stays so. Possible during a run.
   *
   * @throws {@link EventNotInViewError} when an event is not in the view. Nothing is appended then.
   */
  async unpin(ids: EventId | readonly EventId[]): Promise<readonly EventId[]> {
    return this.#access.during(() => this.#appendPin(unpin, ids, undefined));
  }

  async #appendPin(
    make: typeof pin,
    given: EventId | readonly EventId[],
    reason: string | undefined,
  ): Promise<readonly EventId[]> {
    const { view } = this.#log.state;
    const ids = typeof given === 'string' ? [given] : given;
    const hidden = ids.filter((id) => view.indexOf(id) === undefined);
    if (hidden.length > 0) throw new EventNotInViewError(this.id, hidden);
    if (ids.length === 0) return [];
    const { createEvent } = this.#agent;
    await this.#log.append(make(ids, { createEvent, ...(reason === undefined ? {} : { reason }) }));
    return ids;
  }

  /**
   * Appends a message of the framework, which the model reads with its next call: text that the user brings back from what is
   * hidden, for instance. It is not the user's own word. Possible during a run.
   *
   * @throws TypeError when it is empty.
   */
  async tell(text: string): Promise<void> {
    if (text.trim() === '') throw new TypeError('A message must hold some text.');
    await this.#access.during(() => this.#log.tell(text));
  }

  /**
   * Reverts a condensation: appends a `condensation-revert`, and from the next step on the model is shown the history without
   * that condensation. Thinking that followed the condensed history is no longer sent. A request that the condensation
   * answered stays answered. The condenser then rests, so that it does not make the same condensation again: it is called
   * with `preview: true` until a condensation is requested, or the history fills the window. While a condensation is under way,
   * this method waits for it.
   *
   * @throws {@link CondensationNotInForceError} when the log holds no such condensation, or it is already reverted;
   *   {@link ConversationBusyError} during a run. Nothing is appended then.
   */
  async revert(condensationId: EventId): Promise<void> {
    this.#assertNoRun();
    await this.#access.during(() => this.#requestedCondensation.revert(condensationId, () => this.#assertNoRun()));
  }

  #assertNoRun(): void {
    if (this.#run === undefined) return;
    throw new ConversationBusyError({ conversationId: this.id, holder: 'a run that goes on' });
  }

  /** Catches up with what others have appended before the log was opened for writing. */
  #caughtUp(from: number): void {
    if (this.events.length === from) return;
    this.#log.markForeignCalls(from);
    this.#standingContext.expire();
  }
}

/**
 * Returns the events of a fork: those of the log up to the event `at`, without confirmations, and a record of the origin.
 *
 * @throws RangeError when there is no event `at`.
 */
function forkedEvents(log: EventLog, at: EventId | undefined, createEvent: CreateEvent): readonly Event[] {
  const { conversationId } = log;
  const end = at === undefined ? log.length : 1 + log.slice().findIndex(({ id }) => id === at);
  if (end === 0 && at !== undefined) throw new RangeError(`Conversation '${conversationId}' has no event '${at}'.`);
  const kept = log.slice(0, end).filter((event) => confirmedBy(event).length === 0);
  return [...kept, createEvent('conversation-state-update', { key: 'forked-from', value: { conversationId, at } })];
}
