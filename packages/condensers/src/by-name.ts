import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import { amortizedForgettingCondenser } from './amortized-forgetting/amortized-forgetting.js';
import { browserOutputCondenser } from './browser-output/browser-output.js';
import { conversationWindowCondenser } from './conversation-window/conversation-window.js';
import { CondenserNotFoundError, InvalidCondenserConfigError } from './authoring/errors.js';
import { extractiveSummaryCondenser } from './extractive-summary/extractive-summary.js';
import { llmAttentionCondenser } from './llm-attention/llm-attention.js';
import { llmSummarizingCondenser } from './llm-summarizing/llm-summarizing.js';
import { noOpCondenser } from './no-op/no-op.js';
import { observationMaskingCondenser } from './observation-masking/observation-masking.js';
import { pipelineCondenser } from './pipeline/pipeline.js';
import { recentEventsCondenser } from './recent-events/recent-events.js';
import { slidingWindowCondenser } from './sliding-window/sliding-window.js';
import { structuredSummaryCondenser } from './structured-summary/structured-summary.js';

/** The condensers that need nothing but their defaults, by name. `pipeline` masks first and summarises when that is not enough. */
const withoutModel: Readonly<Record<string, () => Condenser>> = {
  noOp: noOpCondenser,
  recentEvents: recentEventsCondenser,
  observationMasking: observationMaskingCondenser,
  browserOutput: browserOutputCondenser,
  amortizedForgetting: amortizedForgettingCondenser,
  conversationWindow: conversationWindowCondenser,
  extractiveSummary: extractiveSummaryCondenser,
  pipeline: () => pipelineCondenser([observationMaskingCondenser(), extractiveSummaryCondenser()]),
};

/** Those that need a model besides. `slidingWindow` has no defaults for its interval and overlap; here they are 3 and 1. */
const withModel: Readonly<Record<string, (llm: LLM) => Condenser>> = {
  llmSummarizing: (llm) => llmSummarizingCondenser({ llm }),
  structuredSummary: (llm) => structuredSummaryCondenser({ llm }),
  llmAttention: (llm) => llmAttentionCondenser({ llm }),
  slidingWindow: (llm) => slidingWindowCondenser({ llm, compactionInterval: 3, overlapSize: 1 }),
};

/** The names that {@link condenserByName} knows. */
export const condenserNames: readonly string[] = Object.freeze([
  ...Object.keys(withoutModel),
  ...Object.keys(withModel),
]);

/** The names among {@link condenserNames} that need a model. */
export const condenserNamesWithModel: readonly string[] = Object.freeze(Object.keys(withModel));

/**
 * A condenser with its defaults, by name.
 *
 * @param options `llm`: the model of those that need one; the others leave it alone.
 * @throws {@link CondenserNotFoundError} when there is none of this name; lists the known ones.
 * @throws {@link InvalidCondenserConfigError} when it needs a model and none is given.
 */
export function condenserByName(name: string, { llm }: { readonly llm?: LLM } = {}): Condenser {
  const plain = Object.hasOwn(withoutModel, name) ? withoutModel[name] : undefined;
  if (plain !== undefined) return plain();
  const asking = Object.hasOwn(withModel, name) ? withModel[name] : undefined;
  if (asking === undefined) throw new CondenserNotFoundError(name, condenserNames);
  if (llm === undefined) {
    const reason = `is missing: it asks a model. Without one there are: ${Object.keys(withoutModel).join(', ')}`;
    throw new InvalidCondenserConfigError({ condenser: name, option: 'llm', reason });
  }
  return asking(llm);
}
