import {
  extractiveSummaryCondenser,
  llmSummarizingCondenser,
  observationMaskingCondenser,
  pipelineCondenser,
} from '@palimpsest/condensers';
import type { LLM } from '@palimpsest/llm-adapters';
import { relevanceCondenser } from '@palimpsest/relevance-tool';
import type { Condenser } from '@palimpsest/view';

/** How much of its history the reference agent leaves unchanged. */
export interface HistorySizes {
  /** The newest events, which are never masked. Unit: events. @defaultValue 24 */
  readonly attentionWindow?: number;
  /** Old results are masked once masking them saves this much. Unit: tokens. @defaultValue 8000 */
  readonly minSavedTokens?: number;
  /** With more events than this, the older half is summarised. Unit: events. @defaultValue 120 */
  readonly maxSize?: number;
  /** The first events, which are never summarised. Unit: events. @defaultValue 4 */
  readonly keepFirst?: number;
  /** The longest summary. Unit: tokens. @defaultValue 3000 */
  readonly maxSummaryTokens?: number;
}

/** Sizes with which a demo of some seventy steps shows every kind of condensation. */
export const demoSizes: HistorySizes = {
  attentionWindow: 16,
  minSavedTokens: 3_000,
  maxSize: 90,
  maxSummaryTokens: 1_200,
};

/**
 * The policy of the reference agent. Cheap and reversible stages come first:
 *
 * 1. A result that the model marked as no longer needed is replaced by the model's note.
 * 2. Results of old calls are masked, many at once. Most of a coding session is text that has served its purpose, and the
 *    model can read a file again.
 * 3. If there are still too many events, a model summarises the older half.
 * 4. Without a model, or if the model fails, a summary is extracted from the events.
 */
export function defaultCondenser(sizes: HistorySizes = {}, summariser?: LLM): Condenser {
  const { attentionWindow, minSavedTokens, maxSize, keepFirst, maxSummaryTokens } = sizes;
  const limits = { maxSize, keepFirst };
  return pipelineCondenser([
    relevanceCondenser({ apply: 'batched' }),
    observationMaskingCondenser({ attentionWindow, minSavedTokens }),
    ...(summariser === undefined ? [] : [llmSummarizingCondenser({ llm: summariser, ...limits })]),
    extractiveSummaryCondenser({ ...limits, maxSummaryTokens }),
  ]);
}
