import { createEvent as createDefaultEvent, toolDefinition } from '@palimpsest/events';
import type {
  ActionEvent,
  Condensation,
  CreateEvent,
  Event,
  MessageEvent,
  Tool,
  ToolDefinition,
} from '@palimpsest/events';
import { ContextWindowExceededError } from '@palimpsest/llm-adapters';
import type { Completion, LLM } from '@palimpsest/llm-adapters';
import { isCondensation } from '@palimpsest/view';
import type { Condenser, RenderOptions, View } from '@palimpsest/view';
import { condenseOnce } from './condense-once.js';
import type { ConversationState } from './conversation-state.js';
import { ContextOverflowError } from './errors.js';
import { assertCondensationAllowed } from './limits.js';
import { eventsOfResponse } from './response-events.js';
import { toolset } from './tool-call.js';
import type { Toolset } from './tool-call.js';
import { executeActions } from './tool-execution.js';

/** What an agent consists of. */
export interface AgentOptions {
  readonly llm: LLM;
  /** The instructions. They go into the log when a conversation starts. @defaultValue none */
  readonly systemPrompt?: string;
  /** @defaultValue none */
  readonly tools?: readonly Tool[];
  /** Asked once before each model call. @defaultValue none: the history is sent as it is */
  readonly condenser?: Condenser;
  /** How the view becomes messages. @defaultValue the view's own way, no labels */
  readonly render?: RenderOptions;
  /** Makes the events. @defaultValue UUIDv7 ids and the system clock */
  readonly createEvent?: CreateEvent;
}

/** What a step is given besides the state. */
export interface StepOptions {
  /** Called with each event as soon as it exists, in the order of the log. The step goes on when it resolves. */
  readonly onEvent: (event: Event) => void | Promise<void>;
  /** Aborts the model call and the running tool. Calls that were not begun are answered as interrupted. */
  readonly signal?: AbortSignal;
}

/**
 * What a step did.
 *
 * - `tool-calls`: it carried out calls; `answer` is there when the finish tool was among them, and the run is over.
 * - `message`: the model answered in words, and the run is over.
 * - `no-answer`: the model gave nothing to act on and was told so.
 * - `condensation`: the condenser returned one; the model was not called.
 * - `condensation-request`: the model call overflowed, and a condensation was asked for.
 */
export type StepOutcome =
  | { readonly type: 'tool-calls'; readonly answer?: string }
  | { readonly type: 'message'; readonly answer: string }
  | { readonly type: 'no-answer' }
  | { readonly type: 'condensation'; readonly condensation: Condensation }
  | { readonly type: 'condensation-request' };

/** A model with instructions, tools and a condenser. It keeps no state: everything it needs to know is in the log. */
export class Agent {
  readonly llm: LLM;
  readonly systemPrompt: string | undefined;
  readonly condenser: Condenser | undefined;
  readonly tools: Toolset;
  readonly createEvent: CreateEvent;
  readonly #render: RenderOptions;

  /** @throws TypeError when two tools have the same name. */
  constructor(options: AgentOptions) {
    this.llm = options.llm;
    this.systemPrompt = options.systemPrompt;
    this.condenser = options.condenser;
    this.tools = toolset(options.tools ?? []);
    this.createEvent = options.createEvent ?? createDefaultEvent;
    this.#render = options.render ?? {};
  }

  /** What the model is told of the tools. */
  get toolDefinitions(): readonly ToolDefinition[] {
    return [...this.tools.values()].map(toolDefinition);
  }

  /**
   * One step: actions that wait for their result are carried out, and the step ends; else the condenser is asked, once. A
   * `Condensation` is emitted and the step ends without a model call; with a `View` the model is called, and its calls are
   * carried out one after another.
   *
   * @throws {@link ContextOverflowError} when the history is too long and no condenser handles requests;
   *   {@link LimitExceededError} when it is still too long after three condensations; what the model's adapter throws.
   */
  async step(state: ConversationState, options: StepOptions): Promise<StepOutcome> {
    if (state.pendingActions.length > 0) return this.#carryOut(state.pendingActions, state, options);
    const condensed = await this.condense(state, options);
    if (isCondensation(condensed)) return { type: 'condensation', condensation: condensed };
    let completion: Completion;
    try {
      completion = await this.#complete(condensed, state, options.signal);
    } catch (error) {
      if (!ContextWindowExceededError.isInstance(error)) throw error;
      return this.#requestCondensation(error, state, options);
    }
    return this.#act(completion, condensed, state, options);
  }

  /**
   * Asks the condenser, and nothing else. Emits what it reported and its condensation. Where it had to act and could not,
   * the condensation is an empty one with the reason `nothing-to-forget`.
   *
   * @throws {@link LimitExceededError} when it would be the fourth condensation in a row.
   */
  async condense(state: ConversationState, options: StepOptions): Promise<View | Condensation> {
    if (this.condenser === undefined) return state.view;
    const { contextWindow } = this.llm;
    const result = await condenseOnce(this.condenser, state.view, {
      createEvent: this.createEvent,
      onEvent: options.onEvent,
      ...(contextWindow === undefined ? {} : { contextWindow }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (isCondensation(result)) {
      assertCondensationAllowed(state.condensationsInARow);
      await options.onEvent(result);
    }
    return result;
  }

  #complete(view: View, state: ConversationState, signal: AbortSignal | undefined): Promise<Completion> {
    return this.llm.complete({
      messages: view.toMessages(this.#render),
      ...(this.tools.size === 0 ? {} : { tools: this.toolDefinitions }),
      ...(state.conversationId === undefined ? {} : { cache: { key: state.conversationId } }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async #requestCondensation(
    overflow: ContextWindowExceededError,
    state: ConversationState,
    { onEvent }: StepOptions,
  ): Promise<StepOutcome> {
    if (this.condenser?.handlesCondensationRequests !== true) throw new ContextOverflowError(this.llm.model, overflow);
    // Checked here too: a request that nobody may act on would only be found out one step later.
    assertCondensationAllowed(state.condensationsInARow, overflow);
    await onEvent(this.createEvent('condensation-request', { reason: overflow.message }));
    return { type: 'condensation-request' };
  }

  async #act(completion: Completion, view: View, state: ConversationState, options: StepOptions): Promise<StepOutcome> {
    const { createEvent, tools } = this;
    const response = eventsOfResponse(completion, tools, createEvent);
    await options.onEvent(
      createEvent('llm-usage', {
        responseId: completion.responseId,
        model: completion.model,
        usage: completion.usage,
        estimatedInputTokens: view.tokens(),
        ...(completion.costUsd === undefined ? {} : { costUsd: completion.costUsd }),
        purpose: 'agent',
      }),
    );
    switch (response.type) {
      case 'tool-calls':
        // All calls stand in the log before the first result, so that every prefix of it is one batch with open calls.
        for (const action of response.actions) await options.onEvent(action);
        return this.#carryOut(response.actions, state, options);
      case 'message':
        await options.onEvent(response.message);
        return { type: 'message', answer: textOf(response.message) };
      case 'no-answer':
        await options.onEvent(response.message);
        await options.onEvent(response.correction);
        return { type: 'no-answer' };
    }
  }

  async #carryOut(
    actions: readonly ActionEvent[],
    state: ConversationState,
    { onEvent, signal }: StepOptions,
  ): Promise<StepOutcome> {
    const answer = await executeActions(actions, {
      tools: this.tools,
      createEvent: this.createEvent,
      onEvent,
      log: state.log,
      event: (id) => state.view.original(id),
      ...(signal === undefined ? {} : { signal }),
    });
    return answer === undefined ? { type: 'tool-calls' } : { type: 'tool-calls', answer };
  }
}

function textOf({ content }: MessageEvent): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
