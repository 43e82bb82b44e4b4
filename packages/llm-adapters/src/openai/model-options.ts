import type { Effort } from '../models/model-facts.js';
import type { CacheTtl } from './cache-marks.js';

/** The options of OpenAI's models in both APIs. */
export interface OpenAIModelOptions {
  /** @defaultValue the model's own; `none` if the model accepts tools on Chat Completions only with it */
  readonly effort?: Effort;
  /** False: at most one call an answer. Sent only with tools. @defaultValue the provider's */
  readonly parallelToolCalls?: boolean;
  /** How long cached prefixes are kept. @defaultValue the provider's */
  readonly cacheTtl?: CacheTtl;
}
