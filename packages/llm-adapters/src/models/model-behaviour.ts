/** Which rules a server keeps: Anthropic's, OpenAI's, or those of a server that speaks OpenAI's protocol. */
export type ModelProvider = 'anthropic' | 'openai' | 'compatible';

/**
 * What a model can be told about thinking. `always`: it thinks, and a request that turns it off is refused. `adaptive`: it
 * decides, by an effort, and can be told not to. `adaptive-or-manual`: also takes a budget of tokens. `manual`: only a
 * budget. `none`: it does not think.
 */
export type ThinkingControl = 'always' | 'adaptive' | 'adaptive-or-manual' | 'manual' | 'none';

/** What an adapter must know of a model to write a request that it takes. */
export interface ModelFacts {
  readonly provider: ModelProvider;
  /** What it reads and writes in one call. Unit: tokens. */
  readonly contextWindow?: number;
  /** What it reads in one call, where that is less than the window. Unit: tokens. */
  readonly maxInputTokens?: number;
  /** Unit: tokens. */
  readonly maxOutputTokens?: number;
  /**
   * How a view must render thinking for it: give it to `view.toMessages({ thinking })`. `prefix-bound` lets a view cut tool
   * loops and leave stale blocks out; `latest-turn` keeps every block; `none` sends none.
   */
  readonly thinking: 'prefix-bound' | 'latest-turn' | 'none';
  readonly thinkingControl: ThinkingControl;
  /** Takes temperature, `top_p` and the like. */
  readonly acceptsSampling: boolean;
  /** Takes a tool choice that forces a call, with thinking off where it thinks. */
  readonly acceptsForcedTools: boolean;
  /** Continues an answer that the request began. */
  readonly acceptsPrefill: boolean;
  /** Takes a message of the system among the others. */
  readonly acceptsSystemMessages: boolean;
  /** Refuses tools together with reasoning on Chat Completions. */
  readonly needsResponsesForTools: boolean;
  /** Takes the reasoning effort `none`. */
  readonly acceptsEffortNone: boolean;
  /** A shorter prefix is not cached. Unit: tokens. */
  readonly cacheMinimumTokens?: number;
  /** For estimates of ordinary English and code. Unit: characters a token. */
  readonly charsPerToken: number;
  /** True where the model is not in the table and these are the facts of the newest that its provider has. */
  readonly isAssumed: boolean;
}

/** What models of one kind have in common. */
export type Behaviour = Omit<ModelFacts, 'isAssumed'>;

/** The facts of one or more models. */
export interface ModelRow extends Behaviour {
  /** As `modelName` writes them. */
  readonly models: readonly string[];
}
