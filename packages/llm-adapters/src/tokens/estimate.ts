import { estimateTextTokens } from '@palimpsest/events';
import type { ModelFacts } from '../models/model-facts.js';
import { requestSizes, safeCounter } from './token-counter.js';
import type { TokenCounter } from './token-counter.js';

/** An image as large as a provider reads it. Unit: tokens. @see https://docs.claude.com/en/docs/build-with-claude/vision */
const tokensPerImage = 1_600;

/** The value that the table of models states for the o200k vocabulary, which the estimate of a text follows. */
const usualCharsPerToken = 4;

/** Options of {@link estimateCounter}. */
export interface EstimateOptions {
  /** Unit: tokens. @defaultValue 1,600, what Anthropic bills for a large one */
  readonly tokensPerImage?: number;
}

/**
 * Returns a counter that needs no tokenizer: {@link estimateTextTokens}, scaled by the model's characters a token, 4
 * for the frame of a message, 8 for that of a tool or call. For models whose tokenizer is not public; correct it with
 * {@link calibrated}. The counter remembers what frozen messages count, as long as they live.
 */
export function estimateCounter(facts: Pick<ModelFacts, 'charsPerToken'>, options: EstimateOptions = {}): TokenCounter {
  const { charsPerToken } = facts;
  const size = requestSizes({
    ofText: (text) => Math.ceil((estimateTextTokens(text) * usualCharsPerToken) / charsPerToken),
    perImage: options.tokensPerImage ?? tokensPerImage,
    perMessage: 4,
    perTool: 8,
    perRequest: 0,
  });
  return safeCounter('estimate', (request) => {
    if (!(charsPerToken > 0)) throw new RangeError(`charsPerToken must be above 0, not ${charsPerToken}`);
    return size(request);
  });
}
