import {
  extractiveSummaryCondenser,
  llmSummarizingCondenser,
  observationMaskingCondenser,
  pipelineCondenser,
} from '@palimpsest/condensers';
import type { LLM } from '@palimpsest/llm-adapters';
import { relevanceCondenser } from '@palimpsest/relevance-tool';
import type { Condenser } from '@palimpsest/view';

/** How much history the reference agent keeps as it was. */
export interface HistorySizes {
  /** The newest events, which are never masked. Unit: events. @defaultValue 24 */
  readonly attentionWindow?: number;
  /** Old results are masked when that saves so much. Unit: tokens. @defaultValue 8000 */
  readonly minSavedTokens?: number;
  /** With more events than this, the older half is summarised. Unit: events. @defaultValue 120 */
  readonly maxSize?: number;
  /** The first events, which are never summarised. Unit: events. @defaultValue 4 */
  readonly keepFirst?: number;
  /** The longest summary. Unit: tokens. @defaultValue 3000 */
  readonly maxSummaryTokens?: number;
}

/** Sizes with which some seventy steps on a small project show everything that there is to see. */
export const demoSizes: HistorySizes = {
  attentionWindow: 16,
  minSavedTokens: 3_000,
  maxSize: 90,
  maxSummaryTokens: 1_200,
};

/**
 * What the reference agent does with its history, the cheap and reversible first:
 *
 * 1. What the model itself marked as no longer needed is shown as its own summary.
 * 2. The results of old calls are masked, many at once: most of a coding session is text that was read and served its purpose,
 *    and what is needed again can be read again.
 * 3. When there are too many events all the same, the older half makes room for a summary that a model writes.
 * 4. Without a model that can, or when it fails, for one that is extracted from the events without any.
 */
export function defaultCondenser(sizes: HistorySizes = {}, summariser?: LLM): Condenser {
  const { attentionWindow, minSavedTokens, maxSize, keepFirst, maxSummaryTokens } = sizes;
  const limits = {
    ...(maxSize === undefined ? {} : { maxSize }),
    ...(keepFirst === undefined ? {} : { keepFirst }),
  };
  return pipelineCondenser([
    relevanceCondenser({ apply: 'batched' }),
    observationMaskingCondenser({
      ...(attentionWindow === undefined ? {} : { attentionWindow }),
      ...(minSavedTokens === undefined ? {} : { minSavedTokens }),
    }),
    ...(summariser === undefined ? [] : [llmSummarizingCondenser({ llm: summariser, ...limits })]),
    extractiveSummaryCondenser({ ...limits, ...(maxSummaryTokens === undefined ? {} : { maxSummaryTokens }) }),
  ]);
}
