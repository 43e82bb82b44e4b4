import type { CacheTtl } from './cache-hints.js';

/** How much a reasoning model thinks. Which of them a model takes is the model's affair. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** What can be asked of a model of OpenAI besides the request, in both of its APIs. */
export interface OpenAIModelOptions {
  /** @defaultValue the model's own; `none` where tools pass on Chat Completions only so */
  readonly effort?: ReasoningEffort;
  /** False: at most one call an answer. Sent only with tools. @defaultValue the provider's */
  readonly parallelToolCalls?: boolean;
  /** How long cached prefixes are kept. @defaultValue the provider's */
  readonly cacheTtl?: CacheTtl;
}
