import { createEvent as createDefaultEvent, toolDefinition, wellFormedEvent } from '@palimpsest/events';
import type { ActionEvent, Condensation, CreateEvent, ToolDefinition } from '@palimpsest/events';
import { ContentPolicyError, ContextWindowExceededError } from '@palimpsest/llm-adapters';
import type { LLM } from '@palimpsest/llm-adapters';
import { isCondensation } from '@palimpsest/view';
import type { Condenser, RenderOptions, View } from '@palimpsest/view';
import type { AgentOptions, AgentParts } from './agent-options.js';
import { condense } from './condensing/condense.js';
import { recoverFromOverflow } from './condensing/overflow.js';
import { assertConfirmationPolicy, unconfirmed } from './confirmation.js';
import { assertCount, assertMethod, assertPositive } from './errors.js';
import type { Hooks } from './hooks.js';
import type { Instrumentation } from './instrumentation.js';
import { CacheWatch } from './model/cache-watch.js';
import { callModel } from './model/call.js';
import type { ModelAnswer } from './model/call.js';
import { handleResponse } from './model/response.js';
import { SentPrompts } from './model/sent-prompts.js';
import { refusalNote } from './notes.prompt.js';
import type { StepOutcome } from './outcome.js';
import type { ConversationState } from './state.js';
import { beginStep, renderOptions } from './step.js';
import type { StepOptions } from './step.js';
import { prepareActions } from './tool-calls/call.js';
import type { Toolset } from './tool-calls/call.js';
import { executeToolCalls } from './tool-calls/execution.js';
import { assertOutputLimit } from './tool-calls/output.js';
import { withRequestedFields } from './tool-calls/requested-fields.js';

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
  readonly #parts: AgentParts;

  /**
   * @throws TypeError when two tools have the same name, or when `llm`, `condenser` or `confirmation` is not one.
   * @throws RangeError when a number among the options is out of range.
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
    const given = options.tools ?? [];
    const { tools, readRequestedFields } = withRequestedFields(given, {
      risk: asksForRisk(options),
      ...options.askOfModel,
    });
    this.#parts = {
      ...options,
      tools,
      get toolDefinitions() {
        return [...tools.values()].map(toolDefinition);
      },
      readRequestedFields,
      confirmation: options.confirmation ?? 'never',
      hooks: options.hooks ?? {},
      createEvent: wellFormedEvents(options.createEvent ?? createDefaultEvent),
      sentPrompts: this.sentPrompts,
      cacheWatch: this.cacheWatch,
    };
    this.llm = options.llm;
    this.systemPrompt = options.systemPrompt;
    this.condenser = options.condenser;
    this.tools = tools;
    this.createEvent = this.#parts.createEvent;
    this.hooks = this.#parts.hooks;
    this.instrumentation = options.instrumentation;
    this.context = options.context;
  }

  /** The tools as the model is told of them. */
  get toolDefinitions(): readonly ToolDefinition[] {
    return this.#parts.toolDefinitions;
  }

  /** The mode in which thinking is rendered: as the options say, else as the model needs it. */
  get thinking(): NonNullable<RenderOptions['thinking']> | undefined {
    return this.#parts.render?.thinking ?? this.llm.facts?.thinking;
  }

  /** Returns the options with which the next request is rendered. */
  renderOptions(state: ConversationState): RenderOptions {
    return renderOptions(this.#parts, state);
  }

  /** Returns those of the actions that need a confirmation and have none. */
  unconfirmed(actions: readonly ActionEvent[], state: ConversationState): readonly ActionEvent[] {
    return unconfirmed(prepareActions(actions, this.tools), this.#parts, state.confirmedActions);
  }

  /**
   * Takes one step. Actions without a result are carried out, and the step ends. Otherwise the condenser is called once. If it
   * returns a `Condensation`, that is emitted and the step ends without a model call. If it returns a `View`, the model is
   * called, and its calls are carried out. After three condensations in a row the model is called with the view as it is: an
   * attempt `unsettled` says so.
   *
   * All events of one answer are emitted as one batch. Results of tools are emitted as they come. The step remembers what it has
   * emitted, so a host may append events to `state` at once or after the step. The next step needs a state that holds all of
   * them. Events that the host appends to `state` meanwhile, such as a message of the user, are read with the next model call.
   *
   * @throws {@link ContextOverflowError} when the history is too long and nothing of it may be masked or forgotten.
   * @throws {@link LimitExceededError} when it is still too long after three condensations.
   * @throws what the model's adapter and the host's `onEvent` or `onEvents` throw.
   */
  async step(state: ConversationState, options: StepOptions): Promise<StepOutcome> {
    const { conversationId } = state;
    const { signal } = options;
    const step = () => this.#step(state, options);
    return this.instrumentation === undefined ? step() : this.instrumentation.step({ conversationId, signal }, step);
  }

  async #step(state: ConversationState, options: StepOptions): Promise<StepOutcome> {
    const step = beginStep(this.#parts, state, options);
    if (state.pendingActions.length > 0) return executeToolCalls(state.pendingActions, step);
    const condensed = await condense(step);
    if (isCondensation(condensed)) return { type: 'condensation', condensation: condensed };
    let answer: ModelAnswer;
    try {
      answer = await callModel(condensed, step);
    } catch (error) {
      if (ContextWindowExceededError.isInstance(error)) return recoverFromOverflow(error, condensed, step);
      if (!ContentPolicyError.isInstance(error) || state.wasRefused) throw error;
      await step.emit(refusalNote(this.createEvent));
      return { type: 'refused' };
    }
    return handleResponse(answer, condensed, step);
  }

  /**
   * Calls the condenser, and nothing else. Emits its reports and its condensation. A condensation that is invalid, or forgets what
   * is protected or pinned, is not emitted: an attempt `refused-invalid` or `refused-protected` says why. If the condenser must act
   * but cannot, or is refused, an empty condensation with the reason `nothing-to-forget` is emitted. A fourth condensation in a row
   * is not emitted: an attempt `unsettled` says so.
   */
  async condense(state: ConversationState, options: StepOptions): Promise<View | Condensation> {
    return condense(beginStep(this.#parts, state, options));
  }
}

/** A policy that reads risks needs somebody who says them. */
function asksForRisk({ confirmation, assessRisk }: AgentOptions): boolean {
  return typeof confirmation === 'object' && 'risk' in confirmation && assessRisk === undefined;
}

/** Events are made of text that a model, a tool or a user wrote. Providers refuse text that is not well-formed. */
function wellFormedEvents(create: CreateEvent): CreateEvent {
  return ((...args: Parameters<CreateEvent>) => wellFormedEvent(create(...args))) as CreateEvent;
}
