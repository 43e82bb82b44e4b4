import type { LLM } from '@palimpsest/llm-adapters';
import { accountOf, askModel, saysNothing, textOf } from '../model/ask-model.js';
import { CondenserModelError } from '../model/model-failure.js';
import type { ModelAccount } from '../model/model-failure.js';
import { checkedOptions } from '../options/checked-options.js';
import { modelCallOptions } from '../options/model-call-options.js';
import type { ModelCallOptions } from '../options/model-call-options.js';
import { objectWith, optionsOf } from '../options/option-schemas.js';
import { promptOf } from '../prompts/prompt.js';
import { promptWithin } from '../prompts/prompt-within.js';
import { summaryHeader, summaryTemplate } from '../prompts/summary.prompt.js';
import type { SummaryInput } from './summary-input.js';

/** A summary, and what it took. */
export interface SummaryResult extends ModelAccount {
  readonly text: string;
}

/** Writes summaries. {@link llmSummarizer} asks a model; one of your own may ask whom it likes. */
export interface Summarizer {
  /** For messages and metadata. */
  readonly model?: string | undefined;
  /**
   * Writes one summary. When the signal aborts, rejects with its reason. Whatever else it throws leaves the history as it was.
   *
   * @throws {@link CondenserModelError} when there is no summary that can be used.
   */
  summarize(input: SummaryInput, context: { readonly signal?: AbortSignal | undefined }): Promise<SummaryResult>;
}

/** The model that writes summaries, and how it is asked: with {@link summaryTemplate} where nothing else is said. */
export interface LLMSummarizerOptions extends ModelCallOptions {
  /** The model; a smaller one than the agent's will often do. */
  readonly llm: LLM;
}

const summarizerOptions = /* @__PURE__ */ optionsOf(() => ({
  llm: objectWith<LLM>('complete'),
  ...modelCallOptions(10_000),
}));

/**
 * A summariser that asks a model: one call, not streamed, no tools. The events go in whole, arguments of calls included, each
 * cut in its middle at `maxEventCharacters`; the whole prompt stays within the model's window (of 100,000 tokens, where the
 * model does not tell its own), for which the oldest events are cut hardest. A model's thinking and images stay out. The summary
 * begins with a line that says what it is.
 *
 * @throws {@link InvalidCondenserConfigError} when a number is out of range; `summarize` throws {@link CondenserModelError}
 *   when the model fails, is too slow, is cut off or says nothing.
 */
export function llmSummarizer(options: LLMSummarizerOptions): Summarizer {
  const checked = checkedOptions(summarizerOptions, options, { subject: 'llmSummarizer' });
  const { llm, prompt = summaryTemplate, maxOutputTokens, timeoutMs, maxEventCharacters } = checked;
  const write = promptOf('llmSummarizer', prompt);
  return {
    model: llm.model,
    summarize: async (input, { signal }) => {
      // What stands before a summary is ours, and would be copied.
      const previousSummary = input.previousSummary?.replaceAll(`${summaryHeader}\n\n`, '');
      const text = promptWithin(
        write,
        { ...input, previousSummary },
        {
          contextWindow: llm.contextWindow,
          maxOutputTokens,
          maxEventCharacters,
        },
      );
      const completion = await askModel(
        llm,
        { messages: [{ role: 'user', content: [{ type: 'text', text }] }], maxOutputTokens },
        { timeoutMs, signal },
      );
      const account = accountOf(completion);
      const summary = textOf(completion);
      if (saysNothing(summary)) throw new CondenserModelError('empty', 'the model said nothing', { account });
      return { text: `${summaryHeader}\n\n${summary}`, ...account };
    },
  };
}
