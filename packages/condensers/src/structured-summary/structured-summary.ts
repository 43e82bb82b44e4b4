import type { Condenser } from '@palimpsest/view';
import { createCondenser, defineCondenser } from '../authoring/definition/define-condenser.js';
import { modelSummaryCondenser, modelSummaryOptions } from '../authoring/summaries/summarizing-condenser.js';
import type { ModelSummaryOptions } from '../authoring/summaries/summarizing-condenser.js';
import { factsOfRange } from '../digest/range-facts.js';
import { structuredSummarizer } from './structured-summarizer.js';
import { structuredSummaryTemplate } from './structured-summary.prompt.js';

/** Options of {@link structuredSummaryCondenser}. The default prompt is {@link structuredSummaryTemplate}. */
export type StructuredSummaryOptions = ModelSummaryOptions;

const name = 'structuredSummary';

/**
 * Returns a rolling summary in 18 fields that a model fills in: the user's goal; what is done, pending and currently true; files,
 * functions and data structures; tests and errors; version control; dependencies; and the rest. Its triggers, the events that it
 * keeps, its behaviour when the model fails, and its bound are those of {@link llmSummarizingCondenser}; only the form differs.
 * The history shows the summary as Markdown with every field, so that an empty field is visible.
 *
 * The model must call a tool. If it refuses that, the condenser uses a response format, or an instruction. If an answer does not
 * parse, lacks a required field, or has only empty required fields, the history is unchanged and the failure is reported.
 *
 * @throws {@link InvalidCondenserConfigError} when the numbers leave no room for a summary and one event behind it, or the prompt
 *   cannot be used; `condense` throws {@link NoCondensationAvailableError} when a condensation was requested and none is
 *   possible.
 * @see StructuredSummaryCondenser of OpenHands at d6fab190, without its faults: if the call cannot be read, it forgets the events
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
      readFacts: factsOfRange,
    }),
});
