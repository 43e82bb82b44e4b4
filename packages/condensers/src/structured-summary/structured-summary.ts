import type { Condenser } from '@palimpsest/view';
import { structuredSummarizer } from './structured-summarizer.js';
import { summarizingCondenser } from '../authoring/summaries/summarizing.js';
import type { SummarizingLimits } from '../authoring/summaries/summarizing.js';
import type { LLMSummarizerOptions } from '../authoring/summaries/summarizer.js';

/** Options of {@link structuredSummaryCondenser}: its model, and its limits. */
export interface StructuredSummaryOptions extends LLMSummarizerOptions, SummarizingLimits {}

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
  return summarizingCondenser({ ...options, name: 'structuredSummary', summarizer: structuredSummarizer(options) });
}
