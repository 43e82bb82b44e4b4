import { createEvent as createDefaultEvent, toolDefinition, wellFormedEvent } from '@palimpsest/events';
import type { ActionEvent, Condensation, CreateEvent, ToolDefinition } from '@palimpsest/events';
import { ContentPolicyError, ContextWindowExceededError } from '@palimpsest/llm-adapters';
import type { Completion, LLM } from '@palimpsest/llm-adapters';
import { condensationProblem, isCondensation } from '@palimpsest/view';
import type { Condenser, RenderOptions, View } from '@palimpsest/view';
import { abortable } from './abortable.js';
import type { AgentOptions } from './agent-options.js';
import { answerToOverflow } from './condensing/answer-to-overflow.js';
import { condenseOnce, isEmpty, nothingToForget, refusedAttempt } from './condensing/condense-once.js';
import { assertConfirmationPolicy, beginningOf, unconfirmed } from './confirmation.js';
import type { ConversationState } from './conversation-state.js';
import { ContextOverflowError, messageOf } from './errors.js';
import { wordsOf } from './model/final-answer.js';
import { noteOf, vetoOf } from './hooks.js';
import type { Hooks } from './hooks.js';
import { brokenResponse, cutOffAnswer } from './model/incomplete-answers.js';
import { assertCondensationAllowed } from './limits.js';
import { callModel } from './model/model-call.js';
import { newIdFrom } from './new-id.js';
import { note } from './notes.js';
import { assertCount, assertMethod, assertPositive } from './option-checks.js';
import { assertOutputLimit } from './tools/output-limit.js';
import { paidIn, usageOf } from './model/paid.js';
import { readOutputToolName } from './tools/read-output-tool.js';
import { refusalNote } from './model/refusal-note.js';
import { eventsOfResponse } from './model/response-events.js';
import { StreamedAnswer } from './model/streamed-answer.js';
import type { StreamedAnswerOptions } from './model/streamed-answer.js';
import type { StepOptions } from './step-options.js';
import type { StepOutcome } from './step-outcome.js';
import { SentPrompts } from './model/sent-prompts.js';
import type { StandingWords } from './model/standing-words.js';
import { toolset } from './tools/tool-call.js';
import type { Toolset } from './tools/tool-call.js';
import { executeActions } from './tools/tool-execution.js';
import { tokensBesideView, usableWindow } from './condensing/window.js';

/**
 * A model with instructions, tools and a condenser. It keeps no state: everything it needs to know is in the log. What it
 * remembers of the prompts that it sent only moves marks of the provider's prompt cache.
 */
export class Agent {
  readonly llm: LLM;
  readonly systemPrompt: string | undefined;
  readonly condenser: Condenser | undefined;
  readonly tools: Toolset;
  readonly createEvent: CreateEvent;
  readonly hooks: Hooks;
  readonly context: AgentOptions['context'];
  /** A memo for the provider's prompt cache, which nothing else depends on. */
  readonly sentPrompts = new SentPrompts();
  readonly #options: AgentOptions;

  /**
   * @throws TypeError when two tools have the same name, or when the model, the condenser or the confirmation policy is none;
   *   RangeError when a number among the options makes no sense.
   */
  constructor(options: AgentOptions) {
    assertMethod('llm', options.llm, 'complete', 'a model');
    if (options.condenser !== undefined) assertMethod('condenser', options.condenser, 'condense', 'a condenser');
    assertConfirmationPolicy(options.confirmation);
    assertCount('toolConcurrency', options.toolConcurrency, 1);
    assertCount('maxOutputTokens', options.maxOutputTokens, 1);
    assertPositive('toolTimeoutMs', options.toolTimeoutMs);
    for (const { name, timeoutMs } of options.tools ?? []) assertPositive(`timeoutMs of the tool '${name}'`, timeoutMs);
    assertOutputLimit(options.output);
    this.llm = options.llm;
    this.systemPrompt = options.systemPrompt;
    this.condenser = options.condenser;
    this.tools = toolset(options.tools ?? []);
    this.createEvent = wellFormedEvents(options.createEvent ?? createDefaultEvent);
    this.hooks = options.hooks ?? {};
    this.context = options.context;
    this.#options = options;
  }

  /** What the model is told of the tools. */
  get toolDefinitions(): readonly ToolDefinition[] {
    return [...this.tools.values()].map(toolDefinition);
  }

  /** How the view is rendered for this model, unless the options say otherwise. */
  get thinking(): NonNullable<RenderOptions['thinking']> | undefined {
    return this.#options.render?.thinking ?? this.llm.facts?.thinking;
  }

  /** How the view is rendered for the next request. */
  renderOptions(state: ConversationState): RenderOptions {
    const thinking = state.isThinkingOff ? 'none' : this.thinking;
    return { ...this.#options.render, ...(thinking === undefined ? {} : { thinking }) };
  }

  /** Of these actions, the ones that may not be carried out before a person has said yes. */
  unconfirmed(actions: readonly ActionEvent[], state: ConversationState): readonly ActionEvent[] {
    const { confirmation: policy = 'never' } = this.#options;
    return unconfirmed(actions, { policy, tools: this.tools, confirmed: state.confirmedActions });
  }

  /**
   * One step: actions that wait for their result are carried out, and the step ends; else the condenser is asked, once. A
   * `Condensation` is emitted and the step ends without a model call; with a `View` the model is called, and its calls are
   * carried out.
   *
   * @throws {@link ContextOverflowError} when the history is too long and nothing of it may be masked or forgotten;
   *   {@link LimitExceededError} when it is still too long after three condensations; what the model's adapter throws.
   */
  async step(state: ConversationState, options: StepOptions): Promise<StepOutcome> {
    if (state.pendingActions.length > 0) return this.#confirmAndCarryOut(state.pendingActions, state, options);
    // As of the view that the condenser is shown: what the user says meanwhile is read with the next call.
    const { standingWords } = state;
    const condensed = await this.condense(state, options);
    if (isCondensation(condensed)) return { type: 'condensation', condensation: condensed };
    let completion: Completion;
    try {
      completion = await this.#complete(condensed, standingWords, state, options);
    } catch (error) {
      if (ContextWindowExceededError.isInstance(error)) return this.#makeRoom(error, condensed, state, options);
      if (ContentPolicyError.isInstance(error)) return this.#tellOfRefusal(error, state, options);
      throw error;
    }
    return this.#act(completion, condensed, state, options);
  }

  /**
   * Asks the condenser, and nothing else. Emits what it reported and its condensation. A condensation that is invalid, or forgets
   * what is protected or pinned, is not emitted: an attempt `refused-invalid` or `refused-protected` says why. Where the condenser
   * had to act and could not, or was refused, the condensation is an empty one with the reason `nothing-to-forget`.
   *
   * @throws {@link LimitExceededError} when it would be the fourth condensation in a row.
   */
  async condense(state: ConversationState, options: StepOptions): Promise<View | Condensation> {
    if (this.condenser === undefined) return state.view;
    const { maxOutputTokens } = this.#options;
    const contextWindow = usableWindow(this.llm, maxOutputTokens);
    const { view } = state;
    const fixedTokens = tokensBesideView(view, this.toolDefinitions, state.standingWords);
    const result = await condenseOnce(this.condenser, view, {
      createEvent: this.createEvent,
      onEvent: options.onEvent,
      viewNow: () => state.view,
      ...(contextWindow === undefined ? {} : { contextWindow }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(fixedTokens === 0 ? {} : { fixedTokens }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (!isCondensation(result)) return result;
    const isVetoed = await this.#isVetoed(result, this.condenser.name, state, options);
    if (!isVetoed && !(await this.#isRefused(result, this.condenser, state, options))) {
      return this.#emitCondensation(result, state, options);
    }
    if (!view.unhandledCondensationRequest) return view;
    return this.#emitCondensation(nothingToForget(this.condenser.name, this.createEvent), state, options);
  }

  async #isVetoed(
    condensation: Condensation,
    condenser: string,
    { view }: ConversationState,
    { onEvent, signal }: StepOptions,
  ): Promise<boolean> {
    const reason = vetoOf(await abortable(this.hooks.beforeCondensation?.(condensation, view), signal));
    if (reason === undefined) return false;
    // What it cost was paid all the same.
    const paid = paidIn(condensation.metadata);
    await onEvent(this.createEvent('condensation-attempt', { condenser, outcome: 'vetoed', reason, ...paid }));
    return true;
  }

  /** Once more after the hook, which takes its time: what came meanwhile may be pinned, or may pin. */
  async #isRefused(
    condensation: Condensation,
    condenser: Condenser,
    { view }: ConversationState,
    { onEvent }: StepOptions,
  ): Promise<boolean> {
    if (this.hooks.beforeCondensation === undefined || isEmpty(condensation)) return false;
    const problem = condensationProblem(view, condensation, condenser);
    if (problem === undefined) return false;
    await onEvent(refusedAttempt(condenser.name, problem, condensation, this.createEvent));
    return true;
  }

  async #emitCondensation(
    made: Condensation,
    state: ConversationState,
    { onEvent, signal }: StepOptions,
  ): Promise<Condensation> {
    assertCondensationAllowed(state.condensationsInARow);
    const condensation = wellFormedEvent(made);
    await onEvent(condensation);
    const remark = noteOf(await abortable(this.hooks.afterCondensation?.(condensation), signal));
    if (remark !== undefined) await onEvent(note(remark, this.createEvent));
    return condensation;
  }

  /** What was shown of an answer and never became complete is logged: as words of the model where the user cut it off. */
  async #complete(
    view: View,
    words: StandingWords,
    state: ConversationState,
    options: StepOptions,
  ): Promise<Completion> {
    const { llm, tools, createEvent } = this;
    const { onDelta, onEvent, signal, secrets } = options;
    const asked = { model: llm.model, tools, estimatedInputTokens: view.tokens(), createEvent };
    const broken: StreamedAnswerOptions['broken'] = (...piece) => brokenResponse(...piece, asked);
    const streamed = onDelta === undefined ? undefined : new StreamedAnswer({ onDelta, onEvent, secrets, broken });
    try {
      return await callModel({
        llm,
        view,
        words,
        log: state.log,
        render: this.renderOptions(state),
        tools: secrets?.tools(this.toolDefinitions) ?? this.toolDefinitions,
        streamed,
        maxOutputTokens: this.#options.maxOutputTokens,
        cacheKey: state.conversationId,
        sentPrompts: this.sentPrompts,
        createEvent,
        onEvent,
        signal,
      });
    } catch (error) {
      await streamed?.end();
      const shown = signal?.aborted === true ? streamed?.piece() : undefined;
      if (shown === undefined) throw error;
      const reason = messageOf(signal?.reason);
      for (const event of cutOffAnswer(shown, reason, streamed?.counted, asked)) await onEvent(event);
      throw error;
    } finally {
      await streamed?.end();
    }
  }

  /** After an overflow: the condenser is asked, and acts at the next step, or the agent itself makes room. */
  async #makeRoom(
    overflow: ContextWindowExceededError,
    sent: View,
    state: ConversationState,
    options: StepOptions,
  ): Promise<StepOutcome> {
    const { createEvent, condenser, llm } = this;
    const { maxOutputTokens } = this.#options;
    const made = answerToOverflow({
      overflow,
      sent,
      state,
      model: llm.model,
      condenser,
      contextWindow: usableWindow(llm, maxOutputTokens),
      maxOutputTokens,
      fixedTokens: tokensBesideView(sent, this.toolDefinitions, state.standingWords),
      canRead: this.tools.has(readOutputToolName),
      createEvent,
    });
    if (made === 'request') {
      await options.onEvent(createEvent('condensation-request', { reason: overflow.message }));
      return { type: 'condensation-request' };
    }
    if (await this.#isVetoed(made, 'agent', state, options)) {
      throw new ContextOverflowError(llm.model, overflow, { isVetoed: true });
    }
    return { type: 'condensation', condensation: await this.#emitCondensation(made, state, options) };
  }

  async #tellOfRefusal(
    error: ContentPolicyError,
    state: ConversationState,
    { onEvent }: StepOptions,
  ): Promise<StepOutcome> {
    if (state.wasRefused) throw error;
    await onEvent(refusalNote(this.createEvent));
    return { type: 'refused' };
  }

  async #act(completion: Completion, view: View, state: ConversationState, options: StepOptions): Promise<StepOutcome> {
    const { createEvent, tools } = this;
    const llmResponseId = newIdFrom(createEvent);
    const { assessRisk } = this.#options;
    const response = eventsOfResponse(completion, { llmResponseId, tools, createEvent, assessRisk });
    await options.onEvent(
      createEvent('llm-usage', {
        ...usageOf(completion, llmResponseId),
        estimatedInputTokens: view.tokens(),
        purpose: 'agent',
      }),
    );
    switch (response.type) {
      case 'tool-calls':
        // All calls stand in the log before the first result, so that every prefix of it is one batch with open calls.
        for (const action of response.actions) await options.onEvent(action);
        return this.#confirmAndCarryOut(response.actions, state, options);
      case 'message':
        await options.onEvent(response.message);
        return { type: 'message', answer: wordsOf(response.message.content) };
      case 'no-answer':
        await options.onEvent(response.message);
        await options.onEvent(response.correction);
        return { type: 'no-answer' };
    }
  }

  async #confirmAndCarryOut(
    actions: readonly ActionEvent[],
    state: ConversationState,
    { onEvent, signal, secrets }: StepOptions,
  ): Promise<StepOutcome> {
    const waiting = this.unconfirmed(actions, state);
    if (waiting.length > 0) return { type: 'awaiting-confirmation', actions: waiting };
    // What waited for a yes may be carried out by any process, until the log says that one has begun. What needs no yes begins
    // as it is logged.
    if (actions.some(({ id }) => state.releasedActions.has(id))) await onEvent(beginningOf(actions, this.createEvent));
    const { toolTimeoutMs, toolConcurrency, output, maxOutputTokens } = this.#options;
    const window = usableWindow(this.llm, maxOutputTokens);
    const answer = await executeActions(actions, {
      tools: this.tools,
      createEvent: this.createEvent,
      onEvent,
      log: state.log,
      event: (id) => state.view.original(id),
      hooks: this.hooks,
      ...(toolTimeoutMs === undefined ? {} : { timeoutMs: toolTimeoutMs }),
      ...(toolConcurrency === undefined ? {} : { concurrency: toolConcurrency }),
      ...(output === undefined ? {} : { output }),
      ...(window === undefined ? {} : { contextWindow: Math.max(1, window - (maxOutputTokens ?? 0)) }),
      ...(secrets === undefined ? {} : { secrets }),
      ...(signal === undefined ? {} : { signal }),
    });
    return answer === undefined ? { type: 'tool-calls' } : { type: 'tool-calls', answer };
  }
}

/** Whatever a model, a tool or a user wrote: what goes into the log of it is text that providers take. */
function wellFormedEvents(create: CreateEvent): CreateEvent {
  return ((...args: Parameters<CreateEvent>) => wellFormedEvent(create(...args))) as CreateEvent;
}
