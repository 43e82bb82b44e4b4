import {
  ConversationBusyError,
  EventLog,
  isMeaningful,
  isUserMessage,
  newEventId,
  wellFormedEvent,
} from '@palimpsest/events';
import type { ActionEvent, Condensation, ContentPart, Event, EventId, MessageEvent } from '@palimpsest/events';
import { isCondensation } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { Agent } from './agent.js';
import type { StepOptions } from './step-options.js';
import type { StepOutcome } from './step-outcome.js';
import { abortable } from './abortable.js';
import { askAside } from './model/aside.js';
import { endedBefore, lostResult, lostSecret, rejected } from './tools/call-answers.js';
import { isEmpty } from './condensing/condense-once.js';
import { confirmationOf, confirmedBy } from './confirmation.js';
import type { ConversationOptions, ForkOptions, RunOptions } from './conversation-options.js';
import { ConversationStateProjection } from './conversation-state.js';
import { unobtrusive } from './model/delta-listener.js';
import {
  CondensationNotSupportedError,
  ConversationRunError,
  NoUserMessageError,
  codeOf,
  messageOf,
} from './errors.js';
import { eventStream } from './event-stream.js';
import { vetoOf } from './hooks.js';
import { isOfBrokenResponse, missingCutOffNote } from './model/incomplete-answers.js';
import { assertLimits, assertWithinLimits, defaultLimits, noRunUsage, withCallOf } from './limits.js';
import type { Limits, RunUsage } from './limits.js';
import { failingNote, note, turnsLeftNote, unreadNote } from './notes.js';
import { ensureSystemPrompt } from './prompts/opening.js';
import { revertOf } from './condensing/revert.js';
import { isStatus } from './run-outcome.js';
import type { ConversationStatus, RunOutcome } from './run-outcome.js';
import { maskedDeltas } from './secrets/masked-deltas.js';
import { maskedEvents } from './secrets/masked-events.js';
import { secretLabel, secretMask } from './secrets/secret-mask.js';
import type { SecretMask } from './secrets/secret-mask.js';
import { defaultStuckThresholds, stuckPattern } from './stuck-detection.js';
import type { StuckPattern, StuckThresholds } from './stuck-detection.js';
import { WriteAccess } from './write-access.js';

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
  readonly #limits: Limits;
  readonly #state: ConversationStateProjection;
  readonly #options: ConversationOptions;
  readonly #access: WriteAccess;
  readonly #secrets: SecretMask;
  readonly #thresholds: StuckThresholds | undefined;
  /** Left open by another process or conversation, with a secret in their arguments that the log does not hold. */
  readonly #withoutSecrets = new Set<EventId>();
  /** Appended here, and masked in the log: what is to be carried out. */
  readonly #asWritten = new Map<EventId, ActionEvent>();
  #status: ConversationStatus = 'idle';
  /** Not the status, which stands in the log, where others may write it too. */
  #isRunning = false;
  #condensing: Promise<View | Condensation> | undefined;
  #pauseRequested = false;
  #systemPromptInForce: Promise<void> | undefined;
  #contextInTurn: Promise<void> = Promise.resolve();
  #revertInTurn: Promise<void> = Promise.resolve();
  #interruption = new AbortController();
  #used: RunUsage = noRunUsage;

  private constructor(events: EventLog, options: ConversationOptions) {
    const { stuckDetection, agent } = options;
    this.#options = options;
    this.#secrets = options.secrets ?? secretMask({});
    this.#thresholds = stuckDetection === false ? undefined : { ...defaultStuckThresholds, ...stuckDetection };
    this.id = events.conversationId;
    this.events = events;
    this.#agent = options.agent;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#state = new ConversationStateProjection({
      conversationId: this.id,
      view: { ...(agent.thinking === undefined ? {} : { thinking: agent.thinking }), ...options.view },
    });
    for (const event of events) this.#follow(event);
    this.#findWithoutSecrets();
    this.#noRunGoesOn();
    events.observe((event) => this.#follow(event));
    this.#access = new WriteAccess(events, (from) => this.#caughtUp(from));
  }

  /**
   * Opens a conversation: a new one, or the stored one with this id. Nothing is written before {@link Conversation.send}
   * or {@link Conversation.run}.
   *
   * @throws {@link EventStoreError} when the stored log cannot be read; RangeError when a limit makes no sense.
   */
  static async open(options: ConversationOptions): Promise<Conversation> {
    assertLimits(options.limits ?? {});
    const { conversationId = newEventId(), store } = options;
    const events = store === undefined ? new EventLog(conversationId) : await EventLog.open(conversationId, { store });
    return new Conversation(events, options);
  }

  /** What the model is shown, before the condenser of the next step. */
  get view(): View {
    return this.#state.view;
  }

  get status(): ConversationStatus {
    return this.#status;
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

  async #send(parts: readonly ContentPart[]): Promise<void> {
    await this.#ensureSystemPrompt();
    await this.#append(
      this.#agent.createEvent('message', {
        source: 'user',
        role: 'user',
        content: parts,
      }),
    );
    // The message stands. What cannot be shown beside it fails the run, which tries again.
    await this.#appendContext().catch(() => undefined);
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
    this.#isRunning = true;
    this.#pauseRequested = false;
    this.#interruption = new AbortController();
    try {
      return await this.#access.during(() => this.#run(options));
    } finally {
      this.#isRunning = false;
    }
  }

  async #run(options: RunOptions): Promise<RunOutcome> {
    const { finalAnswer } = this.#state;
    if (this.#status === 'finished' || this.#status === 'stuck') {
      const answer = this.#status === 'stuck' || finalAnswer === undefined ? {} : { answer: finalAnswer };
      return { status: this.#status, ...answer, iterations: 0, condensations: 0 };
    }
    this.#status = 'running';
    this.#used = noRunUsage;
    try {
      const isAnswered = finalAnswer !== undefined;
      if (!isAnswered) await this.#setStatus('running');
      const signals = [this.#interruption.signal, ...(options.signal === undefined ? [] : [options.signal])];
      const onDelta = options.onDelta === undefined ? {} : { onDelta: unobtrusive(options.onDelta) };
      const signal = AbortSignal.any(signals);
      if (isAnswered) {
        // The run before ended between the answer and the note that it was over. Providers refuse lists that end in an answer.
        const { createEvent } = this.#agent;
        for (const action of this.#state.pendingActions) await this.#append(endedBefore(action, createEvent));
        const veto = await this.#stopVeto(finalAnswer, signal);
        const none = { iterations: 0, condensations: 0 };
        if (veto === undefined) return await this.#ended('finished', { answer: finalAnswer, ...none });
        await this.#setStatus('running');
        await this.#tell(veto);
      }
      // Two condensations of the same view would each forget what the other one has summarised.
      if (this.#condensing !== undefined) await abortable(this.#condensing, signal).catch(() => undefined);
      return await this.#loop({ ...onDelta, signal });
    } catch (error) {
      throw await this.#failed(error);
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
    if (this.#isRunning) this.#pauseRequested = true;
  }

  /**
   * Ends the run now: the model call and the running tools are aborted, what was not begun is answered as interrupted, and
   * the run resolves as paused. Without a run it does nothing.
   */
  interrupt(): void {
    if (this.#isRunning) this.#interruption.abort(new Error('The run was interrupted.'));
  }

  /** The actions that wait for a person's yes. */
  get waitingActions(): readonly ActionEvent[] {
    const waiting = this.#agent.unconfirmed(this.#state.pendingActions, this.#state);
    return waiting.map((action) => this.#secrets(action));
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
    await this.#append(confirmationOf(waiting, this.#state.pendingActions, this.#agent.createEvent));
    if (!this.#isRunning) await this.#setStatus('idle');
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
    const refused = this.#state.pendingActions.map((action) =>
      rejected(action, { reason, source: 'user' }, createEvent),
    );
    if (refused.length === 0 || this.#isRunning) return;
    await this.#append(refused);
    await this.#setStatus('idle');
  }

  /**
   * A question beside the conversation: the model answers from what it is shown now, without tools, and nothing but the
   * usage goes into the log. Possible during a run.
   *
   * @throws what the model's adapter throws.
   */
  async ask(question: string, options: { readonly signal?: AbortSignal } = {}): Promise<string> {
    return this.#access.during(async () => {
      const { answer, costs } = await askAside(question, this.#agent, this.#state, this.#secrets, options.signal);
      await this.#append(costs);
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
    const fork = await Conversation.open({ ...own, ...(agent === undefined ? {} : { agent }), ...options });
    const origin = { conversationId: this.id, ...(at === undefined ? {} : { at }) };
    const { createEvent } = this.#agent;
    await fork.#access.during(async () => {
      if (fork.events.length > 0) {
        throw new RangeError(`The store holds a conversation '${fork.id}' already; give the fork another id.`);
      }
      // What stands in a log stays as it is.
      await fork.#log([...kept, createEvent('conversation-state-update', { key: 'forked-from', value: origin })]);
    });
    fork.#findWithoutSecrets();
    fork.#noRunGoesOn();
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
    return this.#access.during(() => this.#condense(options.signal));
  }

  async #condense(signal: AbortSignal | undefined): Promise<Condensation | undefined> {
    if (this.#condensing !== undefined) return madeBy(await this.#condensing);
    await this.#append(this.#agent.createEvent('condensation-request', { source: 'user' }));
    if (this.#isRunning) return undefined;
    this.#condensing ??= this.#agent.condense(this.#state, this.#stepOptions(signal)).finally(() => {
      this.#condensing = undefined;
    });
    return madeBy(await this.#condensing);
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
    await this.#access.during(() => {
      const reverted = this.#revertInTurn.then(() => this.#revert(condensationId));
      this.#revertInTurn = reverted.catch(() => undefined);
      return reverted;
    });
  }

  async #revert(condensationId: EventId): Promise<void> {
    await this.#condensing?.catch(() => undefined);
    this.#assertNoRun();
    const state = { conversationId: this.id, view: this.view, log: this.events };
    await this.#append(revertOf(condensationId, state, this.#agent.createEvent));
  }

  #assertNoRun(): void {
    if (this.#isRunning) throw new ConversationBusyError({ conversationId: this.id, holder: 'a run that goes on' });
  }

  async #loop(options: RunOptions): Promise<RunOutcome> {
    const { signal } = options;
    if (this.#state.latestUserMessage === undefined) throw new NoUserMessageError(this.id);
    await this.#ensureSystemPrompt();
    await this.#answerLeftovers();
    await this.#append(missingCutOffNote(this.#state.recentEvents, this.#agent.createEvent));
    await this.#appendContext();
    let condensations = 0;
    const counts = () => ({ iterations: this.#used.iterations, condensations });
    for (;;) {
      if (this.#pauseRequested || signal?.aborted === true) return this.#paused(counts());
      assertWithinLimits(this.#used, this.#limits);
      const stuck = await this.#stuckIn();
      if (stuck !== undefined) return this.#ended('stuck', { stuck, ...counts() });
      const read: MessageEvent | undefined = this.#state.latestUserMessage;
      const outcome = await this.#step(options);
      if (outcome === undefined) continue;
      if (outcome.type === 'awaiting-confirmation') {
        return this.#ended('waiting-for-confirmation', {
          waiting: outcome.actions.map((action) => this.#secrets(action)),
          ...counts(),
        });
      }
      if (outcome.type === 'condensation') {
        condensations++;
        await this.#appendContext();
      }
      if (outcome.type === 'condensation' || outcome.type === 'condensation-request') continue;
      this.#used = { ...this.#used, iterations: this.#used.iterations + 1 };
      if (!('answer' in outcome)) {
        await this.#remind();
        continue;
      }
      const answer = this.#secrets.text(outcome.answer);
      const veto = await this.#stopVeto(answer, signal);
      if (veto !== undefined) {
        await this.#tell(veto);
        continue;
      }
      // A message that came during the step was not read yet, so the work is not finished.
      const hasReadAll = () => this.#state.latestUserMessage === read;
      if (hasReadAll()) {
        const finished = await this.#ended('finished', { answer, ...counts() });
        if (hasReadAll()) return finished;
        await this.#setStatus('running');
      }
      await this.#tell(unreadNote);
    }
  }

  /** A hook that is interrupted has not spoken; the answer stands in the log. */
  async #stopVeto(answer: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    try {
      return vetoOf(await abortable(this.#agent.hooks.beforeStop?.(answer), signal));
    } catch (error) {
      if (signal?.aborted === true) return undefined;
      throw error;
    }
  }

  /** What belongs beside the user's words and is not shown to the model, at first or because it was forgotten. */
  #appendContext(): Promise<void> {
    // One after another: two that look at the same view would both show what is missing from it.
    const appended = this.#contextInTurn.then(async () => {
      const missing = this.#agent.context?.(this.view) ?? [];
      if (missing.length > 0) await this.#append(missing);
    });
    this.#contextInTurn = appended.catch(() => undefined);
    return appended;
  }

  async #append(...events: readonly (Event | readonly Event[])[]): Promise<void> {
    await this.#log(events.flat().map(wellFormedEvent));
  }

  /** Appends events as they are, but for secrets. */
  async #log(events: readonly Event[]): Promise<void> {
    const masked = events.map((event) => {
      const logged = this.#secrets(event);
      if (logged !== event && event.type === 'action') this.#asWritten.set(event.id, event);
      return logged;
    });
    await this.events.append(masked);
  }

  /** One step; undefined when it was aborted, which is no failure. */
  async #step({ signal, onDelta }: RunOptions): Promise<StepOutcome | undefined> {
    const deltas = onDelta === undefined ? undefined : maskedDeltas(this.#secrets, onDelta);
    const options = this.#stepOptions(signal);
    try {
      return await this.#agent.step(this.#state, {
        ...options,
        onEvent: (event) => {
          if (signal?.aborted === true) deltas?.cut();
          // The model's answer is complete before the first event that follows from it.
          else if (!isOfBrokenResponse(event)) deltas?.end();
          return options.onEvent(event);
        },
        ...(deltas === undefined ? {} : { onDelta: deltas.write }),
      });
    } catch (error) {
      deltas?.cut();
      if (signal?.aborted === true) return undefined;
      throw error;
    }
  }

  #stepOptions(signal: AbortSignal | undefined): StepOptions {
    const onEvent = (event: Event) => this.#append(event);
    return { onEvent, secrets: this.#secrets, ...(signal === undefined ? {} : { signal }) };
  }

  /** The pattern in which the run is stuck. Where a word may help, the model is told instead. */
  async #stuckIn(): Promise<StuckPattern | undefined> {
    if (this.#thresholds === undefined) return undefined;
    const finding = stuckPattern(this.#state.recentEvents, this.#thresholds);
    if (finding?.isNudge !== true) return finding?.pattern;
    await this.#tell(failingNote);
    return undefined;
  }

  async #remind(): Promise<void> {
    const left = this.#limits.maxIterations - this.#used.iterations;
    const { reminders = [10, 3] } = this.#options;
    if (left > 0 && reminders.includes(left)) await this.#tell(turnsLeftNote(left));
  }

  async #tell(text: string): Promise<void> {
    await this.#append(note(text, this.#agent.createEvent));
  }

  async #ended(status: RunOutcome['status'], outcome: Omit<RunOutcome, 'status'>): Promise<RunOutcome> {
    await this.#setStatus(status);
    return { status, ...outcome };
  }

  async #paused(counts: { readonly iterations: number; readonly condensations: number }): Promise<RunOutcome> {
    await this.#append(this.#agent.createEvent('pause', {}));
    return this.#ended('paused', counts);
  }

  async #failed(cause: unknown): Promise<ConversationRunError> {
    try {
      await this.#append(
        this.#agent.createEvent('conversation-error', { code: codeOf(cause), detail: messageOf(cause) }),
      );
      await this.#setStatus('error');
    } catch {
      // The log itself may be what failed. The caller learns the first cause; the status says that the run is over.
      this.#status = 'error';
    }
    return new ConversationRunError(this.id, cause, this.#secrets.text(messageOf(cause)));
  }

  /** The instructions and tools in force are the agent's: appended at the start, and again when they changed. */
  #ensureSystemPrompt(): Promise<void> {
    this.#systemPromptInForce ??= this.#appendSystemPrompt().catch((error: unknown) => {
      this.#systemPromptInForce = undefined;
      throw error;
    });
    return this.#systemPromptInForce;
  }

  async #appendSystemPrompt(): Promise<void> {
    const { systemPrompt = '', toolDefinitions: tools, createEvent } = this.#agent;
    const inForce = this.#state.systemPrompt;
    const wanted = {
      systemPrompt,
      tools,
      // What a host has added to the instructions is the log's, not the agent's.
      ...(inForce?.dynamicContext === undefined ? {} : { dynamicContext: inForce.dynamicContext }),
      // Compared as it stands in the log, with the secrets hidden.
      createEvent: maskedEvents(this.#secrets, createEvent),
    };
    if (systemPrompt === '' && tools.length === 0) return;
    await this.#append(ensureSystemPrompt(inForce === undefined ? [] : [inForce], wanted));
  }

  /**
   * An action may have been carried out before the process died; only a repeatable tool is safe to run again, and what was
   * confirmed and had not begun.
   */
  async #answerLeftovers(): Promise<void> {
    const { tools, createEvent } = this.#agent;
    const waiting = new Set(this.waitingActions);
    for (const action of waiting.size > 0 ? [] : this.#state.pendingActions) {
      if (this.#withoutSecrets.has(action.id)) {
        await this.#append(lostSecret(action, createEvent));
        continue;
      }
      if (this.#state.releasedActions.has(action.id)) continue;
      if (action.executable !== false && tools.get(action.toolCall.name)?.annotations?.repeatable === true) continue;
      await this.#append(lostResult(action, createEvent));
    }
  }

  /** What is open among the events from an index on was written by others, or by a process that has ended. */
  #findWithoutSecrets(from = 0): void {
    if (this.#options.secrets === undefined) return;
    const ids = new Set(this.events.slice(from).map(({ id }) => id));
    for (const { id, toolCall } of this.#state.pendingActions) {
      if (ids.has(id) && secretLabel.test(toolCall.arguments)) this.#withoutSecrets.add(id);
    }
  }

  /** A log that ends in a run was cut off: nobody runs it now. */
  #noRunGoesOn(): void {
    if (this.#status === 'running') this.#status = 'idle';
  }

  /** Others may have appended while this conversation did not write. */
  #caughtUp(from: number): void {
    if (this.events.length === from) return;
    this.#noRunGoesOn();
    this.#findWithoutSecrets(from);
    this.#systemPromptInForce = undefined;
  }

  async #setStatus(value: ConversationStatus): Promise<void> {
    await this.#append(this.#agent.createEvent('conversation-state-update', { key: 'status', value }));
    this.#status = value;
  }

  #follow(event: Event): void {
    // Also where it was appended beside this conversation, or before the value was a secret.
    this.#state.append(this.#secrets(event), this.#asWritten.get(event.id));
    this.#asWritten.delete(event.id);
    if (event.type === 'conversation-state-update' && event.key === 'status' && isStatus(event.value)) {
      this.#status = event.value;
    }
    this.#used = withCallOf(this.#used, event);
    if (isUserMessage(event) && ['finished', 'stuck'].includes(this.#status)) {
      this.#status = 'idle';
    }
  }
}

/** An empty one stands for none. */
function madeBy(result: View | Condensation): Condensation | undefined {
  return isCondensation(result) && !isEmpty(result) ? result : undefined;
}
