/** The rules that a server follows: Anthropic's, OpenAI's, or those of a server that speaks OpenAI's protocol. */
export type ModelProvider = 'anthropic' | 'openai' | 'compatible';

/**
 * The thinking settings that a model accepts. `always`: the model thinks, and refuses a request that turns thinking off.
 * `adaptive`: the model decides how much to think, guided by an effort, and thinking can be turned off. `adaptive-or-manual`:
 * like `adaptive`, and accepts a token budget. `manual`: accepts only a token budget. `none`: the model does not think.
 */
export type ThinkingControl = 'always' | 'adaptive' | 'adaptive-or-manual' | 'manual' | 'none';

/** The effort that a model spends on an answer. Each model takes some of these: see {@link ModelFacts.efforts}. */
export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** The facts of a model that an adapter needs to write a request that the model accepts. */
export interface ModelFacts {
  readonly provider: ModelProvider;
  /** The window: input and output of one call. Unit: tokens. */
  readonly contextWindow?: number;
  /** The largest input of one call, if it is smaller than the window. Unit: tokens. */
  readonly maxInputTokens?: number;
  /** Unit: tokens. */
  readonly maxOutputTokens?: number;
  /**
   * The way in which a view must render thinking for the model: pass it to `view.toMessages({ thinking })`. `prefix-bound` lets a
   * view cut tool loops and leave stale blocks out. `latest-turn` keeps every block, and `none` sends none.
   */
  readonly thinking: 'prefix-bound' | 'latest-turn' | 'none';
  readonly thinkingControl: ThinkingControl;
  /** The messages whose unsigned reasoning requests hold: of messages with calls, or never. @defaultValue 'never' */
  readonly plainReasoning?: 'with-calls' | 'never';
  /** Accepts sampling parameters such as temperature and `top_p`. */
  readonly acceptsSampling: boolean;
  /** Accepts a tool choice that forces a call; a model that thinks accepts it with thinking off. */
  readonly acceptsForcedTools: boolean;
  /** Continues an assistant message at the end of the request (prefill). */
  readonly acceptsPrefill: boolean;
  /** Accepts system messages among the other messages. */
  readonly acceptsSystemMessages: boolean;
  /** Refuses tools together with reasoning on Chat Completions. */
  readonly needsResponsesForTools: boolean;
  /** The efforts that the model takes; empty if it takes none. Absent if that is not known: any effort is then sent. */
  readonly efforts?: readonly Effort[];
  /** A shorter prefix is not cached. Unit: tokens. */
  readonly cacheMinimumTokens?: number;
  /**
   * A cached prefix is dropped when it has not been read for so long. Unit: milliseconds. Absent where no vendor
   * promises it.
   */
  readonly cacheLifeMs?: number;
  /** For estimates of ordinary English and code. Unit: characters a token. */
  readonly charsPerToken: number;
  /** True if the model is not in the table. The facts are then those of its provider's newest model. */
  readonly isAssumed: boolean;
}

/** The facts that models of one kind share. */
export type Behaviour = Omit<ModelFacts, 'isAssumed'>;

/** The facts of one or more models. */
export interface ModelRow extends Behaviour {
  /** As `modelName` writes them. */
  readonly models: readonly string[];
}
