import { condensedHistory, field, listOf, textOf } from '@palimpsest/messages';
import type { CondensedHistory, CondensedHistoryOptions, Fitted, FitOptions } from '@palimpsest/messages';
import { historyTools } from '@palimpsest/messages/tools';
import type { HistoryToolsOptions } from '@palimpsest/messages/tools';
import type { AgentItem } from './agent-item.js';
import { agentItems } from './codec.js';
import type { AgentTool, ModelLike, ModelRequestLike } from './model-like.js';

/** A call that goes to the model as it is, because the server holds the history: there is no list to condense. */
export interface PassedThrough {
  readonly type: 'server-owns-history';
  /** The field of the request that says so. */
  readonly because: 'previousResponseId' | 'conversationId';
}

/** Options of {@link condensingModel} and {@link condensingModelProvider}. */
export interface CondensingModelOptions
  extends
    Omit<CondensedHistoryOptions<AgentItem>, 'codec' | 'historyTools'>,
    HistoryToolsOptions,
    Pick<FitOptions, 'conversationId'> {
  /**
   * The model's name: window, prices and the estimate of tokens follow from it.
   * @defaultValue the name that the provider was asked for, or that an `OpenAIResponsesModel` says; other models do not say theirs
   */
  readonly model?: string | undefined;
  /**
   * The conversation, for a `store`. @defaultValue a name made of the user's first message: give an id if two conversations of
   * one store can begin alike
   */
  readonly conversationId?: string | undefined;
  /** Called with each fit: what is sent, what was condensed and why, and `problem` if the condenser failed. @defaultValue nothing */
  readonly onFit?: ((fitted: Fitted<AgentItem>) => void) | undefined;
  /** Called the first time that a call goes through untouched. @defaultValue nothing */
  readonly onPassedThrough?: ((note: PassedThrough) => void) | undefined;
}

/** A list that ends with a call of one of the history's own tools. */
interface Asked {
  readonly history: CondensedHistory<AgentItem>;
  readonly items: readonly AgentItem[];
  readonly options: FitOptions;
}

const maxAsked = 100;

/** The calls of the models that share options, tools and histories. */
export class CondensedCalls {
  readonly tools: readonly AgentTool[];
  readonly #options: CondensingModelOptions;
  /** By the model's name: each model has its own cache. */
  readonly #histories = new Map<string, CondensedHistory<AgentItem>>();
  readonly #asked = new Map<string, Asked>();
  #hasPassedThrough = false;

  constructor(options: CondensingModelOptions) {
    this.#options = options;
    // They are the same for every model.
    this.tools = this.#historyOf(undefined).tools.map((tool) => this.#agentTool(tool as AgentTool));
  }

  async respond(model: ModelLike, name: string | undefined, request: ModelRequestLike) {
    if (this.#passesThrough(request)) return model.getResponse(request);
    const { history, items, options } = this.#condensed(name, request);
    const response = await history.withOverflow(
      items,
      async (input, fitted) => {
        this.#options.onFit?.(fitted);
        const answer = await model.getResponse({ ...request, input });
        await this.#used(history, answer, fitted);
        return answer;
      },
      options,
    );
    this.#remember(response.output, { history, items, options });
    return response;
  }

  async *stream(model: ModelLike, name: string | undefined, request: ModelRequestLike): AsyncGenerator<object> {
    if (this.#passesThrough(request)) {
      yield* model.getStreamedResponse(request);
      return;
    }
    const { history, items, options } = this.#condensed(name, request);
    let fitted: Fitted<AgentItem> | undefined = await history.fit(items, options);
    while (fitted !== undefined) {
      this.#options.onFit?.(fitted);
      // What comes before the model has said anything. If the request is sent once more, nobody hears of the first one.
      const held: object[] = [];
      let hasBegun = false;
      try {
        for await (const event of model.getStreamedResponse({ ...request, input: fitted.messages })) {
          hasBegun ||= !isPrelude(event);
          if (!hasBegun) {
            held.push(event);
            continue;
          }
          yield* held.splice(0);
          if (field(event, 'type') === 'response_done') {
            const response = field(event, 'response');
            this.#remember(listOf(field(response, 'output')) as readonly AgentItem[], { history, items, options });
            await this.#used(history, response, fitted);
          }
          yield event;
        }
        yield* held;
        return;
      } catch (error) {
        fitted = hasBegun ? undefined : await history.afterError(refusalIn(held) ?? error, fitted);
        if (fitted !== undefined) continue;
        yield* held;
        throw error;
      }
    }
  }

  /** A usage that cannot be stored is missed by an estimate only. */
  async #used(history: CondensedHistory<AgentItem>, response: unknown, fitted: Fitted<AgentItem>): Promise<void> {
    await history.used(field(response, 'usage'), fitted).catch(() => undefined);
  }

  #condensed(name: string | undefined, request: ModelRequestLike): Asked {
    const { input, systemInstructions: system, tools, handoffs, signal } = request;
    return {
      history: this.#historyOf(name),
      items: typeof input === 'string' ? [{ role: 'user', content: input }] : input,
      options: { conversationId: this.#options.conversationId, system, tools: [...tools, ...handoffs], signal },
    };
  }

  #historyOf(modelName: string | undefined): CondensedHistory<AgentItem> {
    const model = this.#options.model ?? modelName;
    const known = this.#histories.get(model ?? '');
    if (known !== undefined) return known;
    const {
      conversationId: _conversationId,
      onFit: _onFit,
      onPassedThrough: _onPassedThrough,
      relevance,
      ...own
    } = this.#options;
    const history = condensedHistory({ ...own, historyTools: historyTools({ relevance }), codec: agentItems(), model });
    this.#histories.set(model ?? '', history);
    return history;
  }

  #passesThrough({ previousResponseId, conversationId }: ModelRequestLike): boolean {
    const because = conversationId !== undefined ? 'conversationId' : 'previousResponseId';
    if (conversationId === undefined && previousResponseId === undefined) return false;
    if (!this.#hasPassedThrough) this.#options.onPassedThrough?.({ type: 'server-owns-history', because });
    this.#hasPassedThrough = true;
    return true;
  }

  #remember(output: readonly AgentItem[], { history, items, options }: Asked): void {
    for (const item of output) {
      const callId = textOf(field(item, 'callId'));
      const isOwn = this.tools.some(({ name }) => name === field(item, 'name'));
      if (field(item, 'type') !== 'function_call' || !isOwn || callId === undefined) continue;
      const { signal: _signal, ...kept } = options;
      this.#asked.set(callId, { history, items: [...items, ...output], options: kept });
      const [oldest] = this.#asked.keys();
      if (this.#asked.size > maxAsked) this.#asked.delete(oldest as string);
    }
  }

  #agentTool({ name, description, parameters }: AgentTool): AgentTool {
    const { properties = {}, required = [] } = parameters as Partial<AgentTool['parameters']>;
    return {
      type: 'function',
      name,
      description,
      parameters: { type: 'object', properties, required, additionalProperties: true },
      strict: false,
      invoke: async (_context, _input, details) => {
        const callId = details?.toolCall?.callId ?? '';
        const asked = this.#asked.get(callId);
        const answer = await asked?.history.answerTo(callId, asked.items, asked.options);
        return answer?.content ?? `Error: ${name} does not know the history in which it was called. Go on without it.`;
      },
      needsApproval: () => Promise.resolve(false),
      isEnabled: () => Promise.resolve(true),
    };
  }
}

/** The events of the Responses API that come before the model has said anything. */
const preludes: ReadonlySet<unknown> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.failed',
]);

function isPrelude(event: object): boolean {
  const type = field(event, 'type');
  return type === 'response_started' || (type === 'model' && preludes.has(field(field(event, 'event'), 'type')));
}

/** Returns the server's words on an answer that has failed with status 200. The SDK's error does not repeat it. */
function refusalIn(held: readonly object[]): unknown {
  const failed = held.map((event) => field(event, 'event')).find((event) => field(event, 'type') === 'response.failed');
  return field(failed, 'response');
}
