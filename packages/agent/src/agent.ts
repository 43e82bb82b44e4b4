import { createEvent as createDefaultEvent, toolDefinition, wellFormedEvent } from '@palimpsest/events';
import type { ActionEvent, Condensation, CreateEvent, ToolDefinition } from '@palimpsest/events';
import { ContentPolicyError, ContextWindowExceededError } from '@palimpsest/llm-adapters';
import type { LLM } from '@palimpsest/llm-adapters';
import { isCondensation } from '@palimpsest/view';
import type { Condenser, RenderOptions, View } from '@palimpsest/view';
import type { AgentOptions } from './agent-options.js';
import { assertConfirmationPolicy, unconfirmed } from './confirmation.js';
import type { ConversationState } from './state.js';
import type { Hooks } from './hooks.js';
import type { Instrumentation } from './instrumentation.js';
import type { ModelAnswer } from './model/call.js';
import { refusalNote } from './notes.prompt.js';
import { CacheWatch } from './model/cache-watch.js';
import { SentPrompts } from './model/sent-prompts.js';
import { assertCount, assertMethod, assertPositive } from './errors.js';
import { askModel } from './model/call.js';
import { condense } from './condensing/condense.js';
import { emitTo, StepLog } from './step.js';
import { carryOut } from './tool-calls/execution.js';
import { makeRoom } from './condensing/overflow.js';
import { actOn } from './model/response.js';
import type { StepContext, StepOptions } from './step.js';
import type { StepOutcome } from './outcome.js';
import { assertOutputLimit } from './tool-calls/output.js';
import { askingTools } from './tool-calls/requested-fields.js';
import type { AskingTools } from './tool-calls/requested-fields.js';
import type { Toolset } from './tool-calls/call.js';

/**
 * A model with instructions, tools and a condenser. It keeps no state of a conversation: a step reads all that it needs from the
 * state that it is given. It remembers the prompts that it sent, and uses them only to mark the provider's prompt cache.
 */
export class Agent {
  readonly llm: LLM;
  readonly systemPrompt: string | undefined;
  readonly condenser: Condenser | undefined;
  readonly tools: Toolset;
  readonly createEvent: CreateEvent;
  readonly hooks: Hooks;
  readonly instrumentation: Instrumentation | undefined;
  readonly context: AgentOptions['context'];
  /** A memo for the provider's prompt cache. Nothing else depends on it. */
  readonly sentPrompts = new SentPrompts();
  /** A memo of what the log says about drift of the prompt cache. */
  readonly cacheWatch = new CacheWatch();
  readonly #options: AgentOptions;
  readonly #askingTools: AskingTools;

  /**
   * @throws TypeError when two tools have the same name, or when `llm`, `condenser` or `confirmation` is not one;
   *   RangeError when a number among the options is out of range.
   */
  constructor(options: AgentOptions) {
    assertMethod('llm', options.llm, 'complete', 'a model');
    if (options.condenser !== undefined) assertMethod('condenser', options.condenser, 'condense', 'a condenser');
    assertConfirmationPolicy(options.confirmation);
    assertCount('toolConcurrency', options.toolConcurrency, 1);
    assertCount('maxOutputTokens', options.maxOutputTokens, 1);
    assertPositive('toolTimeoutMs', options.toolTimeoutMs);
    assertPositive('condenserTimeoutMs', options.condenserTimeoutMs);
    for (const { name, timeoutMs } of options.tools ?? []) assertPositive(`timeoutMs of the tool '${name}'`, timeoutMs);
    assertOutputLimit(options.output);
    this.llm = options.llm;
    this.systemPrompt = options.systemPrompt;
    this.condenser = options.condenser;
    this.#askingTools = askingTools(options.tools ?? [], { risk: asksForRisk(options), ...options.askOfModel });
    this.tools = this.#askingTools.tools;
    this.createEvent = wellFormedEvents(options.createEvent ?? createDefaultEvent);
    this.hooks = options.hooks ?? {};
    this.instrumentation = options.instrumentation;
    this.context = options.context;
    this.#options = options;
  }

  /** The tools as the model is told of them. */
  get toolDefinitions(): readonly ToolDefinition[] {
    return [...this.tools.values()].map(toolDefinition);
  }

  /** How thinking is rendered: as the options say, else as the model needs it. */
  get thinking(): NonNullable<RenderOptions['thinking']> | undefined {
    return this.#options.render?.thinking ?? this.llm.facts?.thinking;
  }

  /** How the view is rendered for the next request. */
  renderOptions(state: ConversationState): RenderOptions {
    const thinking = state.isThinkingOff ? 'none' : this.thinking;
    return { ...this.#options.render, thinking };
  }

  /** Of these actions, those that need a confirmation and have none. */
  unconfirmed(actions: readonly ActionEvent[], state: ConversationState): readonly ActionEvent[] {
    const { confirmation: policy = 'never' } = this.#options;
    return unconfirmed(actions, { policy, tools: this.tools, confirmed: state.confirmedActions });
  }

  /**
   * Takes one step. Actions without a result are carried out, and the step ends. Otherwise the condenser is called once: with a
   * `Condensation`, it is emitted and the step ends without a model call; with a `View`, the model is called, and its calls are
   * carried out. After three condensations in a row the model is called with the view as it is: an attempt `unsettled` says so.
   *
   * All events of one answer are emitted as one batch; results of tools are emitted as they come. The step remembers what it has
   * emitted, so a host may append events to `state` at once or after the step. The next step needs a state that holds all of them.
   * Events that the host appends to `state` meanwhile, such as a message of the user, are read with the next model call.
   *
   * @throws {@link ContextOverflowError} when the history is too long and nothing of it may be masked or forgotten;
   *   {@link LimitExceededError} when it is still too long after three condensations; what the model's adapter and the host's
   *   `onEvent` or `onEvents` throw.
   */
  async step(state: ConversationState, options: StepOptions): Promise<StepOutcome> {
    const { conversationId } = state;
    const { signal } = options;
    const step = () => this.#step(state, options);
    return this.instrumentation === undefined ? step() : this.instrumentation.step({ conversationId, signal }, step);
  }

  async #step(state: ConversationState, options: StepOptions): Promise<StepOutcome> {
    const step = this.#begin(state, options);
    if (state.pendingActions.length > 0) return carryOut(state.pendingActions, step);
    // Read together with the view that the condenser gets.
    const { standingWords } = state;
    const condensed = await condense(step);
    if (isCondensation(condensed)) return { type: 'condensation', condensation: condensed };
    let answer: ModelAnswer;
    try {
      answer = await askModel(condensed, standingWords, step);
    } catch (error) {
      if (ContextWindowExceededError.isInstance(error)) return makeRoom(error, condensed, step);
      if (!ContentPolicyError.isInstance(error) || state.wasRefused) throw error;
      await step.emit(refusalNote(this.createEvent));
      return { type: 'refused' };
    }
    return actOn(answer, condensed, step);
  }

  /**
   * Calls the condenser, and nothing else. Emits its reports and its condensation. A condensation that is invalid, or forgets what
   * is protected or pinned, is not emitted: an attempt `refused-invalid` or `refused-protected` says why. If the condenser must act
   * but cannot, or is refused, an empty condensation with the reason `nothing-to-forget` is emitted. A fourth condensation in a row
   * is not emitted: an attempt `unsettled` says so.
   */
  async condense(state: ConversationState, options: StepOptions): Promise<View | Condensation> {
    return condense(this.#begin(state, options));
  }

  #begin(
    state: ConversationState,
    { signal, onDelta, secrets, requestedCondenser, onPending, ...sink }: StepOptions,
  ): StepContext {
    const { tools, toolDefinitions, hooks, createEvent, sentPrompts, cacheWatch } = this;
    const log = new StepLog(state);
    const emitToHost = emitTo(sink);
    return {
      options: this.#options,
      tools,
      takeFields: this.#askingTools.take,
      toolDefinitions,
      hooks,
      createEvent,
      sentPrompts,
      cacheWatch,
      render: this.renderOptions(state),
      state,
      log,
      emit: async (...batch) => {
        await emitToHost(...batch);
        log.add(batch);
      },
      signal,
      onDelta,
      secrets,
      requestedCondenser,
      onPending,
    };
  }
}

/** A policy that reads risks needs somebody who says them. */
function asksForRisk({ confirmation, assessRisk }: AgentOptions): boolean {
  return typeof confirmation === 'object' && 'risk' in confirmation && assessRisk === undefined;
}

/** Events are made of text that a model, a tool or a user wrote; providers refuse text that is not well-formed. */
function wellFormedEvents(create: CreateEvent): CreateEvent {
  return ((...args: Parameters<CreateEvent>) => wellFormedEvent(create(...args))) as CreateEvent;
}
