import type { Condenser } from '@palimpsest/view';
import { createCondenser, defineCondenser } from '../authoring/define-condenser.js';
import { modelSummaryCondenser, modelSummaryOptions } from '../authoring/summaries/summarizing.js';
import type { ModelSummaryOptions } from '../authoring/summaries/summarizing.js';
import { structuredSummarizer } from './structured-summarizer.js';
import { structuredSummaryTemplate } from './structured-summary.prompt.js';

/** Options of {@link structuredSummaryCondenser}. The model is asked with {@link structuredSummaryTemplate} where nothing else is said. */
export type StructuredSummaryOptions = ModelSummaryOptions;

const name = 'structuredSummary';

/**
 * A rolling summary in 18 fields that a model fills in: what the user wants, what is done, pending and true now; files, functions
 * and data structures; tests and errors; version control; dependencies; and the rest. When it acts, what it keeps, what it does
 * when its model fails, and its bound are those of {@link llmSummarizingCondenser}; the form is the only difference. In the history it
 * stands as Markdown, with every field, so that a field that nobody filled in is seen to be empty.
 *
 * The model is made to call a tool; where it refuses that, it is asked by a response format, or by words. An answer that does not
 * parse, lacks a required field, or holds nothing in those, leaves the history as it was and is reported.
 *
 * @throws {@link InvalidCondenserConfigError} when the numbers leave no room for a summary and one event behind it, or the prompt
 *   cannot be used; `condense` throws {@link NoCondensationAvailableError} when a condensation was asked for and there is none.
 * @see StructuredSummaryCondenser of OpenHands at d6fab190, without its faults: where the call cannot be read it forgets the events
 *   and writes an empty summary, and a `keepFirst` of one less than half of `maxSize` always fails
 *
 * @example
 * ```ts
 * const condenser = structuredSummaryCondenser({ llm: openaiLLM({ model: 'gpt-5.4-mini' }), maxSize: 80 });
 * ```
 */
export function structuredSummaryCondenser(options: StructuredSummaryOptions): Condenser {
  return createCondenser(structuredSummary, options);
}

/** The definition of {@link structuredSummaryCondenser}. */
export const structuredSummary = /* @__PURE__ */ defineCondenser({
  name,
  summary: 'replaces the middle by a summary of 18 fields that a model fills in',
  asksModel: true,
  options: /* @__PURE__ */ modelSummaryOptions(),
  create: (options, host) =>
    modelSummaryCondenser(options, host, {
      name,
      template: structuredSummaryTemplate,
      createSummarizer: structuredSummarizer,
    }),
});
