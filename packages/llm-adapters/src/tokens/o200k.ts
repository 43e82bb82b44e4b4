import type { LLM } from '../llm.js';
import { modelFacts } from '../models/model-facts.js';
import { lazySdk } from '../sdk-client.js';
import { estimateCounter } from './estimate.js';
import { requestSizes, safeCounter } from './token-counter.js';
import type { TokenCounter } from './token-counter.js';

/** An image of about a megapixel in high detail. Unit: tokens. @see https://platform.openai.com/docs/guides/images-vision */
const tokensPerImage = 1_100;

const loadEncoding = lazySdk({
  provider: 'gpt-tokenizer',
  packageName: 'gpt-tokenizer',
  load: () => import('gpt-tokenizer/encoding/o200k_base'),
});

/** Options of {@link o200kCounter}. */
export interface O200kOptions {
  /** Unit: tokens. @defaultValue 1,100 */
  readonly tokensPerImage?: number;
}

/**
 * Returns a counter with OpenAI's vocabulary since GPT-4o, by the package `gpt-tokenizer`, an optional peer that is
 * loaded here. Text is exact; the frames of messages (3 tokens each and 3 a request) are measured, those of tools (8)
 * are an estimate. Text that looks like a control token is counted as text. The counter remembers what frozen messages
 * count, as long as they live.
 *
 * @throws {@link MissingSdkError} when `gpt-tokenizer` is not installed.
 */
export async function o200kCounter(options: O200kOptions = {}): Promise<TokenCounter> {
  const { countTokens } = await loadEncoding();
  const asText = { disallowedSpecial: new Set<string>() };
  const size = requestSizes({
    ofText: (text) => pieces(text).reduce((sum, piece) => sum + countTokens(piece, asText), 0),
    perImage: options.tokensPerImage ?? tokensPerImage,
    perMessage: 3,
    perTool: 8,
    perRequest: 3,
  });
  return safeCounter('o200k_base', size);
}

/**
 * Cuts long runs in a text: a tokenizer's time grows with the square of a run's length (half a minute for 200,000 blanks). A
 * cut adds at most one token.
 */
function pieces(text: string): readonly string[] {
  return text.split(/(\S{512}|\s{512})/u).filter((piece) => piece !== '');
}

/**
 * Returns the best offline counter for a model: the tokenizer for OpenAI's models, an estimate by the model's facts for
 * all others. If the provider has a counting service, `llm.countTokens` is exact but needs a network request.
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
