import { ConversationBusyError, EventLog, isMeaningful, newEventId } from '@palimpsest/events';
import type { ActionEvent, Condensation, ContentPart, Event, EventId } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import type { Agent } from './agent.js';
import { confirmationOf, confirmedBy } from './confirmation.js';
import { askAside } from './conversation/aside.js';
import { ConversationLog } from './conversation/conversation-log.js';
import type { ConversationOptions, ForkOptions, RunOptions } from './conversation/conversation-options.js';
import { eventStream } from './conversation/event-stream.js';
import { RequestedCondensation } from './conversation/requested-condensation.js';
import type { ConversationStatus, RunOutcome } from './conversation/run-outcome.js';
import { Run } from './conversation/run.js';
import { StandingContext } from './conversation/standing-context.js';
import { WriteAccess } from './conversation/write-access.js';
import { CondensationNotSupportedError } from './errors.js';
import { assertLimits } from './limits.js';
import { rejected } from './tools/call-answers.js';

/**
 * An agent's run loop over one event log. What was sent, done and answered is in the log before anybody acts on it, so a
 * conversation goes on from any log, whatever happened to the process that wrote it.
 *
 * Every method that appends has the log open for writing from its start to its end, where the store can do that: others get a
 * `ConversationBusyError` meanwhile, and what they appended before is read first. A conversation that is idle, paused or
 * waits for a confirmation keeps nobody out.
 */
export class Conversation {
  readonly id: string;
  /** The log. Observe it to follow the run. */
  readonly events: EventLog;
  readonly #agent: Agent;
  readonly #options: ConversationOptions;
  readonly #log: ConversationLog;
  readonly #standingContext: StandingContext;
  readonly #requestedCondensation: RequestedCondensation;
  readonly #access: WriteAccess;
  /** Not the status, which stands in the log, where others may write it too. */
  #run: Run | undefined;

  private constructor(events: EventLog, options: ConversationOptions) {
    const { agent } = options;
    this.#options = options;
    this.id = events.conversationId;
    this.events = events;
    this.#agent = agent;
    this.#log = new ConversationLog(events, options);
    this.#standingContext = new StandingContext(agent, this.#log);
    this.#requestedCondensation = new RequestedCondensation(agent, this.#log);
    this.#access = new WriteAccess(events, (from) => this.#caughtUp(from));
  }

  /**
   * Opens a conversation: a new one, or the stored one with this id. Nothing is written before {@link Conversation.send}
   * or {@link Conversation.run}.
   *
   * @throws {@link EventStoreError} when the stored log cannot be read; RangeError when a limit is out of range.
   */
  static async open(options: ConversationOptions): Promise<Conversation> {
    assertLimits(options.limits ?? {});
    const { conversationId = newEventId(), store } = options;
    const events = store === undefined ? new EventLog(conversationId) : await EventLog.open(conversationId, { store });
    return new Conversation(events, options);
  }

  /** What the model is shown, before the condenser of the next step. */
  get view(): View {
    return this.#log.state.view;
  }

  get status(): ConversationStatus {
    return this.#log.status;
  }

  /**
   * Appends a user's message. During a run the model reads it with its next call.
   *
   * @throws TypeError when there is nothing in it: providers refuse empty messages. {@link ConversationBusyError} when
   *   another writer has the conversation. What the store throws.
   */
  async send(content: string | readonly ContentPart[]): Promise<void> {
    const parts: readonly ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    if (!parts.some(isMeaningful)) throw new TypeError('A message must hold some text or an image.');
    await this.#access.during(() => this.#send(parts));
  }

  async #send(content: readonly ContentPart[]): Promise<void> {
    await this.#standingContext.ensureSystemPrompt();
    await this.#log.append(this.#agent.createEvent('message', { source: 'user', role: 'user', content }));
    // The message is stored. A context that cannot be appended now is appended by the next run, or fails it.
    await this.#standingContext.append().catch(() => undefined);
  }

  /**
   * Steps until the model finishes, an action waits for confirmation, the run is stuck, {@link Conversation.pause} takes
   * effect, or the signal is aborted. Actions that an earlier run left without a result are first answered as interrupted,
   * unless their tool may be repeated, or they never had the confirmation that they need, or they had it and had not begun. A conversation that is finished or
   * stuck stays so until the user says something: then the run ends at once, without a step.
   *
   * @throws {@link ConversationRunError} when a step fails or a limit is reached; the log then holds a `conversation-error`,
   *   and the status is `error`. {@link ConversationBusyError} when a run goes on already, here or elsewhere.
   */
  async run(options: RunOptions = {}): Promise<RunOutcome> {
    this.#assertNoRun();
    const run = new Run(
      {
        log: this.#log,
        standingContext: this.#standingContext,
        requestedCondensation: this.#requestedCondensation,
        options: this.#options,
      },
      options,
    );
    this.#run = run;
    try {
      return await this.#access.during(() => run.outcome());
    } finally {
      this.#run = undefined;
    }
  }

  /**
   * Interrupts the run, waits for what is under way, and lets go of the log. Afterwards the conversation can be read and
   * forked, and every method that appends fails with {@link ConversationClosedError}. The store stays open.
   */
  async close(): Promise<void> {
    this.interrupt();
    await this.#access.close();
  }

  /** Asks the run to stop after its present step. Without a run it does nothing. */
  pause(): void {
    this.#run?.pause();
  }

  /**
   * Ends the run now: the model call and the running tools are aborted, what was not begun is answered as interrupted, and
   * the run resolves as paused. Without a run it does nothing.
   */
  interrupt(): void {
    this.#run?.interrupt();
  }

  /** The actions that wait for a person's yes. */
  get waitingActions(): readonly ActionEvent[] {
    const { state, secrets } = this.#log;
    return this.#agent.unconfirmed(state.pendingActions, state).map((action) => secrets(action));
  }

  /**
   * Allows the actions that wait; the next {@link Conversation.run} carries them out, in this process or another one. Without
   * any it does nothing.
   */
  async confirm(): Promise<void> {
    await this.#access.during(() => this.#confirm());
  }

  async #confirm(): Promise<void> {
    const waiting = this.waitingActions;
    if (waiting.length === 0) return;
    await this.#log.append(confirmationOf(waiting, this.#log.state.pendingActions, this.#agent.createEvent));
    if (this.#run === undefined) await this.#log.setStatus('idle');
  }

  /**
   * Refuses every action that has no result yet: the model reads the reason and may do something else. Without any, and
   * during a run, it does nothing.
   */
  async reject(reason = 'The user did not allow it.'): Promise<void> {
    await this.#access.during(() => this.#reject(reason));
  }

  async #reject(reason: string): Promise<void> {
    const { createEvent } = this.#agent;
    const refused = this.#log.state.pendingActions.map((action) =>
      rejected(action, { reason, source: 'user' }, createEvent),
    );
    if (refused.length === 0 || this.#run !== undefined) return;
    await this.#log.append(refused);
    await this.#log.setStatus('idle');
  }

  /**
   * A question beside the conversation: the model answers from what it is shown now, without tools, and nothing but the
   * usage goes into the log. Possible during a run.
   *
   * @throws what the model's adapter throws.
   */
  async ask(question: string, options: { readonly signal?: AbortSignal } = {}): Promise<string> {
    return this.#access.during(async () => {
      const { answer, costs } = await askAside(
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
   * A conversation of its own that begins with the events of this one. It has the same agent, policies and limits;
   * confirmations that were given here do not count there, and what was running here is answered there as interrupted.
   *
   * @throws RangeError when there is no event `at`, or the store holds a conversation of that id; what the store throws.
   */
  async fork({ at, agent, ...options }: ForkOptions = {}): Promise<Conversation> {
    // What others have appended belongs to it.
    await this.events.catchUp();
    const end = at === undefined ? this.events.length : 1 + [...this.events].findIndex(({ id }) => id === at);
    if (end === 0 && at !== undefined) throw new RangeError(`Conversation '${this.id}' has no event '${at}'.`);
    const { store: _store, conversationId: _id, ...own } = this.#options;
    const kept = this.events.slice(0, end).filter((event) => confirmedBy(event).length === 0);
    const fork = await Conversation.open({ ...own, agent: agent ?? own.agent, ...options });
    const origin = { conversationId: this.id, at };
    const { createEvent } = this.#agent;
    await fork.#access.during(async () => {
      if (fork.events.length > 0) {
        throw new RangeError(`The store holds a conversation '${fork.id}' already; give the fork another id.`);
      }
      // What stands in a log stays as it is.
      await fork.#log.copy([...kept, createEvent('conversation-state-update', { key: 'forked-from', value: origin })]);
    });
    fork.#log.startedByOthers(0);
    return fork;
  }

  /**
   * The events from an index on, those to come too, until the signal is aborted. A slow reader holds up nobody. What other
   * processes append is seen within half a second.
   */
  follow(options: { readonly from?: number; readonly signal?: AbortSignal } = {}): AsyncIterable<Event> {
    const isStored = this.#options.store !== undefined;
    return eventStream(this.events, { from: options.from ?? 0, isStored, signal: options.signal });
  }

  /**
   * Asks for a condensation and has the condenser act on it; no tool is run and no model is called by the agent. During a
   * run it only asks, and the next step acts. While one is being made, it waits for that one. Resolves to the condensation;
   * undefined during a run, and where nothing could be condensed: the last `condensation-attempt` of the log says why.
   *
   * @throws {@link CondensationNotSupportedError} when the agent's condenser does not handle requests.
   */
  async condense(options: { readonly signal?: AbortSignal } = {}): Promise<Condensation | undefined> {
    const { condenser } = this.#agent;
    if (condenser?.handlesCondensationRequests !== true) throw new CondensationNotSupportedError(condenser?.name);
    return this.#access.during(() => this.#requestedCondensation.make(options.signal, () => this.#run !== undefined));
  }

  /**
   * Undoes a condensation: a `condensation-revert` is appended, and from the next step on the model is shown the history as if that
   * condensation had never been. Thinking that was made of the condensed history is not sent any more, a request that the
   * condensation had answered stays answered, and a history that does not fit is condensed anew. While a condensation is being made,
   * it waits for that one.
   *
   * @throws {@link CondensationNotInForceError} when the log holds no such condensation, or it is reverted already;
   *   {@link ConversationBusyError} during a run. Nothing was appended then.
   */
  async revert(condensationId: EventId): Promise<void> {
    this.#assertNoRun();
    await this.#access.during(() => this.#requestedCondensation.revert(condensationId, () => this.#assertNoRun()));
  }

  #assertNoRun(): void {
    if (this.#run === undefined) return;
    throw new ConversationBusyError({ conversationId: this.id, holder: 'a run that goes on' });
  }

  /** Called when the log is open for writing. Others may have appended while it was not. */
  #caughtUp(from: number): void {
    if (this.events.length === from) return;
    this.#log.startedByOthers(from);
    this.#standingContext.expire();
  }
}
