import type { Condenser } from '@palimpsest/view';
import { createCondenser, defineCondenser } from '../authoring/definition/define-condenser.js';
import { summaryTemplate } from '../authoring/model/summary.prompt.js';
import { llmSummarizer } from '../authoring/summaries/summarizer.js';
import { modelSummaryCondenser, modelSummaryOptions } from '../authoring/summaries/summarizing-condenser.js';
import type { ModelSummaryOptions } from '../authoring/summaries/summarizing-condenser.js';
import { factsOfRange } from '../digest/range-facts.js';

/** Options of {@link llmSummarizingCondenser}. The default prompt is {@link summaryTemplate}. */
export type LLMSummarizingOptions = ModelSummaryOptions;

const name = 'llmSummarizing';

/**
 * Returns a rolling summary by a model. The first `keepFirst` events and the newest ones stay, and one summary replaces the events
 * between them. More than `maxSize` events is a soft trigger; too many tokens, or a request, is a hard one. Each trigger has its
 * own tail length, and the shortest applies: half of `maxSize`, half of the budget, half of the events. The budget is the model's
 * window minus its answer and a tenth, or `maxTokens` if that is less. The newest step stays, except in the last resort.
 *
 * The model reads the whole events and the previous summary, which the new one replaces. What the user said in these events stands in
 * the summary word for word, within `maxUserWordTokens`; so do facts that are read from the log and that the model did not name: the
 * ids of what still runs, the last error, open tasks, failing tests, changed files ({@link factsOfRange}). With
 * `modelCall.extendsAgentRequest` the model is asked behind the agent's own request.
 *
 * If the model throws, returns no text, is
 * too slow, is cut off, or answers with more than the summary would replace, the history is unchanged and the failure is
 * reported. The next attempt waits until the view has grown by 4, 8, 16 … 64 events, provided that the host appends attempts to
 * the log. If the view must be condensed, the last resort summarises everything before the newest step (or, if that is nothing,
 * everything), up to `tries` times with less to read each time. A model that is too slow, and an error of its provider, are not
 * retried: less input would not change the result, and the adapter has already waited and retried.
 *
 * Bound: `maxSize` events, as far as there are cut points and the model answers; after a condensation `floor(maxSize / 2)`, plus
 * protected and pinned events and the rest of a unit or a newest step that cannot be cut.
 *
 * @throws {@link InvalidCondenserConfigError} when the numbers leave no room for a summary and one event behind it, or the prompt
 *   cannot be used; `condense` throws {@link NoCondensationAvailableError} when a condensation was requested and none is
 *   possible, with the model's failure as its cause. Over the budget without a request it reports the failure and returns the
 *   view.
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
    modelSummaryCondenser(options, host, {
      name,
      template: summaryTemplate,
      createSummarizer: llmSummarizer,
      readFacts: factsOfRange,
    }),
});
