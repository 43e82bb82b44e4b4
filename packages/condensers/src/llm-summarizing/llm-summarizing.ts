import type { Condenser } from '@palimpsest/view';
import { createCondenser, defineCondenser } from '../authoring/define-condenser.js';
import { summaryTemplate } from '../authoring/prompts/summary.prompt.js';
import { llmSummarizer } from '../authoring/summaries/summarizer.js';
import { modelSummaryCondenser, modelSummaryOptions } from '../authoring/summaries/summarizing.js';
import type { ModelSummaryOptions } from '../authoring/summaries/summarizing.js';

/** Options of {@link llmSummarizingCondenser}. The model is asked with {@link summaryTemplate} where nothing else is said. */
export type LLMSummarizingOptions = ModelSummaryOptions;

const name = 'llmSummarizing';

/**
 * A rolling summary by a model: the first `keepFirst` events and the newest ones stay, and one summary takes the place of what
 * lies between. More than `maxSize` events is a soft trigger; too many tokens, or a request, is a hard one. Each asks for a tail
 * of its own, and the shortest wins: half of `maxSize`, half of the budget, half of the events. The budget is the model's window
 * less its answer and a tenth, or `maxTokens` where that is less. The newest step stays, but for the last resort.
 *
 * The model reads the events whole, and the previous summary, which the new one replaces. When it throws, is silent, too slow,
 * cut off, or answers with more than it would replace, the history stays as it was: that is reported, and the next attempt waits
 * while the view grows by 4, 8, 16 … 64 events, if the host appends attempts to the log. When the view must be condensed, all
 * that lies before the newest step (and, when that is nothing, all) is summarised as a last resort, up to `tries` times
 * with less to read each time. A model that is too slow, and an error of its provider's, are not tried again: that would be no
 * other with less to read, and the adapter has waited and tried again already.
 *
 * Bound: `maxSize` events, as far as there are cut points and the model answers; after a condensation `floor(maxSize / 2)`, and
 * besides them protected and pinned events and the rest of a unit or a newest step that cannot be cut.
 *
 * @throws {@link InvalidCondenserConfigError} when the numbers leave no room for a summary and one event behind it, or the prompt
 *   cannot be used; `condense` throws {@link NoCondensationAvailableError} when a condensation was asked for and there is none,
 *   with the model's failure as its cause. Over the budget without a request it reports that, and returns the view.
 * @see LLMSummarizingCondenser of OpenHands' software-agent-sdk at 611629e6 for the triggers and the selection
 *
 * @example
 * ```ts
 * const condenser = llmSummarizingCondenser({ llm: openaiLLM({ model: 'gpt-5.4-mini' }), maxSize: 80 });
 * ```
 */
export function llmSummarizingCondenser(options: LLMSummarizingOptions): Condenser {
  return createCondenser(llmSummarizing, options);
}

/** The definition of {@link llmSummarizingCondenser}. */
export const llmSummarizing = /* @__PURE__ */ defineCondenser({
  name,
  summary: 'replaces the middle by a summary that a model writes',
  asksModel: true,
  options: /* @__PURE__ */ modelSummaryOptions(),
  create: (options, host) =>
    modelSummaryCondenser(options, host, { name, template: summaryTemplate, createSummarizer: llmSummarizer }),
});
