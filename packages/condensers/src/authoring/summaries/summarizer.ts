import type { Completion, LLM } from '@palimpsest/llm-adapters';
import { wordsOf } from '../model/answer-in-words.js';
import { accountOf, askModel } from '../model/ask-model.js';
import { checkedOptions } from '../options/checked-options.js';
import { modelCallOptions } from '../options/model-call-options.js';
import type { ModelCallOptions } from '../options/model-call-options.js';
import { objectWith, optionsOf } from '../options/option-schemas.js';
import { promptOf } from '../prompts/prompt.js';
import { promptBehind, promptWithin } from '../prompts/prompt-within.js';
import { summaryHeader, summaryTemplate } from '../prompts/summary.prompt.js';
import { askBehind, extendedOrSeparate } from './extended-request.js';
import type { SummaryInput } from './summary-input.js';
import type { SummaryResult } from './summary-result.js';

/** Writes summaries. {@link llmSummarizer} calls a model; a custom summariser may use any other source. */
export interface Summarizer {
  /** The summariser's name in messages and metadata. */
  readonly model?: string | undefined;
  /**
   * Writes one summary. Rejects with the signal's reason when the signal aborts. Any other error leaves the history unchanged.
   *
   * @throws {@link CondenserModelError} when there is no usable summary.
   */
  summarize(input: SummaryInput, context: { readonly signal?: AbortSignal | undefined }): Promise<SummaryResult>;
}

/** The model that writes summaries and its settings. The default prompt is {@link summaryTemplate}. */
export interface LLMSummarizerOptions extends ModelCallOptions {
  /** The model; one that is smaller than the agent's is often enough. */
  readonly llm: LLM;
}

const summarizerOptions = /* @__PURE__ */ optionsOf(() => ({
  llm: objectWith<LLM>('complete'),
  ...modelCallOptions(10_000),
}));

/**
 * A summariser that calls a model once, not streamed, without tools. The prompt holds each event with its call arguments; events
 * longer than `maxEventCharacters` are cut in the middle. The whole prompt fits into the model's window (100,000 tokens if the
 * model does not state its own); the oldest events are cut most to make it fit. Thinking and images are left out. The summary
 * begins with a line that identifies it as one.
 *
 * If it is given the agent's conversation, and that is the same model's and leaves room, it asks behind it instead.
 *
 * @throws {@link InvalidCondenserConfigError} when a number is out of range; `summarize` throws {@link CondenserModelError} when
 *   the model fails, is too slow, is cut off, refuses, calls a tool or returns no text.
 */
export function llmSummarizer(options: LLMSummarizerOptions): Summarizer {
  const checked = checkedOptions(summarizerOptions, options, { subject: 'llmSummarizer' });
  const { llm, prompt = summaryTemplate, maxOutputTokens, timeoutMs, maxEventCharacters } = checked;
  const write = promptOf('llmSummarizer', prompt);
  return {
    model: llm.model,
    summarize: (input, { signal }) => {
      const { conversation } = input;
      const behind = async (): Promise<SummaryResult | undefined> => {
        if (conversation === undefined) return undefined;
        const text = promptBehind(write, input, conversation.keptFrom);
        const completion = await askBehind(llm, conversation, { text, maxOutputTokens }, { timeoutMs, signal });
        return completion && summaryOf(completion);
      };
      return extendedOrSeparate(behind, async () => {
        // The heading of a summary is our own text; the model would copy it.
        const previousSummary = input.previousSummary?.replaceAll(`${summaryHeader}\n\n`, '');
        const { contextWindow } = llm;
        const limits = { contextWindow, maxOutputTokens, maxEventCharacters };
        const text = promptWithin(write, { ...input, previousSummary }, limits);
        const messages = [{ role: 'user', content: [{ type: 'text', text }] }] as const;
        return summaryOf(await askModel(llm, { messages, maxOutputTokens }, { timeoutMs, signal }));
      });
    },
  };
}

/** @throws {@link CondenserModelError} when the answer is not words alone. */
function summaryOf(completion: Completion): SummaryResult {
  return { text: `${summaryHeader}\n\n${wordsOf(completion)}`, ...accountOf(completion) };
}
