import { modelName } from './model-name.js';
import { modelTable, newestOf } from './model-table.js';
import type { ModelRow } from './model-table.js';

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

/**
 * What is known of a model. One that is not in the table gets the behaviour of its provider's newest, with `isAssumed`, and
 * no window, since a wrong one does harm. `overrides` win over both.
 *
 * @example
 * ```ts
 * modelFacts('claude-opus-5-5', 'anthropic').thinking; // 'prefix-bound'
 * ```
 */
export function modelFacts(model: string, provider: ModelProvider, overrides: Partial<ModelFacts> = {}): ModelFacts {
  // A model trained further behaves as the one that it comes from.
  const name = modelName(model.replace(/^ft:([^:]+):.*$/, '$1'));
  const row =
    modelTable.find((candidate) => candidate.provider === provider && candidate.models.includes(name)) ??
    (provider === 'compatible' ? elsewhere(name) : undefined);
  if (row === undefined) return { ...newestOf[provider], isAssumed: true, ...overrides };
  const { models: _, ...facts } = row;
  return { ...facts, isAssumed: false, ...overrides };
}

/** A model behind a router keeps its size; how the router is asked is the router's affair. */
function elsewhere(name: string): ModelRow | undefined {
  const row = modelTable.find(({ models }) => models.includes(name));
  if (row === undefined) return undefined;
  const { models, contextWindow, maxInputTokens, maxOutputTokens, charsPerToken, acceptsSampling } = row;
  return {
    ...newestOf.compatible,
    models,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxInputTokens === undefined ? {} : { maxInputTokens }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    charsPerToken,
    acceptsSampling,
  };
}
