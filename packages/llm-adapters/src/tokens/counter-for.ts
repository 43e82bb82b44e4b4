import type { LLM } from '../llm.js';
import { modelFacts } from '../models/model-facts.js';
import { estimateCounter } from './estimate.js';
import { o200kCounter } from './o200k.js';
import type { TokenCounter } from './token-counter.js';

/**
 * The best offline counter for a model: the tokenizer for OpenAI's models, an estimate by the model's facts for all others. If
 * the provider has a counting service, `llm.countTokens` is exact but needs a network request.
 *
 * @throws {@link MissingSdkError} when the model is OpenAI's and `gpt-tokenizer` is not installed.
 * @example
 * ```ts
 * const counter = await counterFor(llm);
 * const tokens = counter.count({ messages, tools });
 * ```
 */
export async function counterFor(llm: Pick<LLM, 'facts'>): Promise<TokenCounter> {
  if (llm.facts?.provider === 'openai') return o200kCounter();
  return estimateCounter(llm.facts ?? modelFacts('', 'compatible'));
}
