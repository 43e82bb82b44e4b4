import { EventLog, newEventId } from '@palimpsest/events';
import type { ContentPart, Event, EventStore, MessageEvent } from '@palimpsest/events';
import type { View, ViewOptions } from '@palimpsest/view';
import type { Agent, StepOptions, StepOutcome } from './agent.js';
import { ConversationStateProjection } from './conversation-state.js';
import {
  CondensationNotSupportedError,
  ConversationBusyError,
  ConversationRunError,
  NoUserMessageError,
  codeOf,
  messageOf,
} from './errors.js';
import { assertIterationsLeft, defaultLimits } from './limits.js';
import type { Limits } from './limits.js';
import { interrupted } from './tool-execution.js';

/** Where a conversation stands between two calls of its methods. */
export type ConversationStatus = 'idle' | 'running' | 'paused' | 'finished' | 'error';

/** Options of {@link Conversation.open}. */
export interface ConversationOptions {
  readonly agent: Agent;
  /** @defaultValue a new UUIDv7 */
  readonly conversationId?: string;
  /** Where the events are kept. @defaultValue nowhere: they live in memory */
  readonly store?: EventStore;
  /** @defaultValue 500 iterations */
  readonly limits?: Partial<Limits>;
  /** How the view estimates tokens and treats thinking. @defaultValue the view's own way */
  readonly view?: ViewOptions;
}

/** How a run ended. */
export interface RunOutcome {
  readonly status: 'finished' | 'paused';
  /** The model's final words, when it finished. */
  readonly answer?: string;
  /** Steps in which the model was called or calls were carried out. */
  readonly iterations: number;
  readonly condensations: number;
}

/**
 * An agent's run loop over one event log. What was sent, done and answered is in the log before anybody acts on it, so a
 * conversation goes on from any log, whatever happened to the process that wrote it.
 */
export class Conversation {
  readonly id: string;
  /** The log. Observe it to follow the run. */
  readonly events: EventLog;
  readonly #agent: Agent;
  readonly #limits: Limits;
  readonly #state: ConversationStateProjection;
  #status: ConversationStatus = 'idle';
  #pauseRequested = false;
  #systemPromptInForce: Promise<void> | undefined;

  private constructor(events: EventLog, options: ConversationOptions) {
    this.id = events.conversationId;
    this.events = events;
    this.#agent = options.agent;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#state = new ConversationStateProjection({
      conversationId: this.id,
      ...(options.view === undefined ? {} : { view: options.view }),
    });
    for (const event of events) this.#follow(event);
    // A log that ends in a run was cut off: nobody runs it now.
    if (this.#status === 'running') this.#status = 'idle';
    events.observe((event) => this.#follow(event));
  }

  /**
   * Opens a conversation: a new one, or the stored one with this id. Nothing is written before {@link Conversation.send}
   * or {@link Conversation.run}.
   *
   * @throws {@link EventStoreError} when the stored log cannot be read.
   */
  static async open(options: ConversationOptions): Promise<Conversation> {
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

  /** Appends a user's message. During a run the model reads it with its next call. */
  async send(content: string | readonly ContentPart[]): Promise<void> {
    await this.#ensureSystemPrompt();
    await this.events.append(
      this.#agent.createEvent('message', {
        source: 'user',
        role: 'user',
        content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
      }),
    );
  }

  /**
   * Steps until the model finishes, {@link Conversation.pause} takes effect, or the signal is aborted. Actions that an
   * earlier run left without a result are first answered as interrupted, unless their tool may be repeated. A conversation
   * that is finished stays so until the user says something: then the run ends at once, without a step.
   *
   * @throws {@link ConversationRunError} when a step fails or a limit is reached; the log then ends in a
   *   `conversation-error`. {@link ConversationBusyError} when a run goes on already.
   */
  async run(options: { readonly signal?: AbortSignal } = {}): Promise<RunOutcome> {
    if (this.#status === 'running') throw new ConversationBusyError(this.id);
    if (this.#status === 'finished') return { status: 'finished', iterations: 0, condensations: 0 };
    const isAnswered = this.#state.endsInAnswer;
    this.#status = 'running';
    this.#pauseRequested = false;
    try {
      // The process died between the answer and the note that the run was over. Providers refuse lists that end in an answer.
      if (isAnswered) return await this.#finished({ iterations: 0, condensations: 0 });
      await this.#setStatus('running');
      return await this.#loop(options.signal);
    } catch (error) {
      throw await this.#failed(error);
    }
  }

  /** Asks the run to stop after its present step. Without a run it does nothing. */
  pause(): void {
    if (this.#status === 'running') this.#pauseRequested = true;
  }

  /**
   * Asks for a condensation and has the condenser act on it; no tool is run and no model is called by the agent. During a
   * run it only asks, and the next step acts.
   *
   * @throws {@link CondensationNotSupportedError} when the agent's condenser does not handle requests.
   */
  async condense(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const { condenser } = this.#agent;
    if (condenser?.handlesCondensationRequests !== true) throw new CondensationNotSupportedError(condenser?.name);
    await this.events.append(this.#agent.createEvent('condensation-request', { source: 'user' }));
    if (this.#status !== 'running') await this.#agent.condense(this.#state, this.#stepOptions(options.signal));
  }

  async #loop(signal: AbortSignal | undefined): Promise<RunOutcome> {
    if (this.#state.latestUserMessage === undefined) throw new NoUserMessageError(this.id);
    await this.#ensureSystemPrompt();
    await this.#answerLeftovers();
    let iterations = 0;
    let condensations = 0;
    for (;;) {
      if (this.#pauseRequested || signal?.aborted === true) return this.#paused({ iterations, condensations });
      assertIterationsLeft(iterations, this.#limits);
      const read: MessageEvent | undefined = this.#state.latestUserMessage;
      const outcome = await this.#step(signal);
      if (outcome === undefined) continue;
      if (outcome.type === 'condensation') condensations++;
      if (outcome.type === 'condensation' || outcome.type === 'condensation-request') continue;
      iterations++;
      // A message that came during the step was not read yet, so the work is not finished.
      if (!('answer' in outcome)) continue;
      const hasReadAll = () => this.#state.latestUserMessage === read;
      if (hasReadAll()) {
        const finished = await this.#finished({ answer: outcome.answer, iterations, condensations });
        if (hasReadAll()) return finished;
        await this.#setStatus('running');
      }
      await this.events.append(this.#agent.createEvent('message', unreadNote));
    }
  }

  /** One step; undefined when it was aborted, which is no failure. */
  async #step(signal: AbortSignal | undefined): Promise<StepOutcome | undefined> {
    try {
      return await this.#agent.step(this.#state, this.#stepOptions(signal));
    } catch (error) {
      if (signal?.aborted === true) return undefined;
      throw error;
    }
  }

  #stepOptions(signal: AbortSignal | undefined): StepOptions {
    return { onEvent: (event) => this.events.append(event), ...(signal === undefined ? {} : { signal }) };
  }

  async #finished(outcome: Omit<RunOutcome, 'status'>): Promise<RunOutcome> {
    await this.#setStatus('finished');
    return { status: 'finished', ...outcome };
  }

  async #paused(counts: { readonly iterations: number; readonly condensations: number }): Promise<RunOutcome> {
    await this.events.append(this.#agent.createEvent('pause', {}));
    await this.#setStatus('paused');
    return { status: 'paused', ...counts };
  }

  async #failed(cause: unknown): Promise<ConversationRunError> {
    try {
      await this.events.append(
        this.#agent.createEvent('conversation-error', { code: codeOf(cause), detail: messageOf(cause) }),
      );
      await this.#setStatus('error');
    } catch {
      // The log itself may be what failed. The caller learns the first cause; the status says that the run is over.
      this.#status = 'error';
    }
    return new ConversationRunError(this.id, cause);
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
    if (systemPrompt === '' && tools.length === 0) return;
    const inForce = this.#state.systemPrompt;
    if (inForce?.systemPrompt === systemPrompt && JSON.stringify(inForce.tools) === JSON.stringify(tools)) return;
    await this.events.append(createEvent('system-prompt', { systemPrompt, tools }));
  }

  /** An action may have been carried out before the process died; only a repeatable tool is safe to run again. */
  async #answerLeftovers(): Promise<void> {
    const { tools, createEvent } = this.#agent;
    for (const action of this.#state.pendingActions) {
      if (action.executable !== false && tools.get(action.toolCall.name)?.annotations?.repeatable === true) continue;
      const reason = 'Its result was not recorded, and it was not run again. Check what it did before you repeat it.';
      await this.events.append(interrupted(action, reason, createEvent));
    }
  }

  async #setStatus(value: ConversationStatus): Promise<void> {
    await this.events.append(this.#agent.createEvent('conversation-state-update', { key: 'status', value }));
    this.#status = value;
  }

  #follow(event: Event): void {
    this.#state.append(event);
    if (event.type === 'conversation-state-update' && event.key === 'status' && isStatus(event.value)) {
      this.#status = event.value;
    }
    if (event.type === 'message' && event.source === 'user' && this.#status === 'finished') this.#status = 'idle';
  }
}

/** A message that came during a model call stands before the answer in the log, and the next request must not end there. */
const unreadNote = {
  source: 'environment',
  role: 'user',
  content: [
    { type: 'text', text: 'The user wrote while you were answering, and you have not answered that message yet.' },
  ],
} as const;

function isStatus(value: unknown): value is ConversationStatus {
  return ['idle', 'running', 'paused', 'finished', 'error'].includes(value as string);
}
