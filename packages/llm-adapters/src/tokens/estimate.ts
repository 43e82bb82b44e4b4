import type { ModelFacts } from '../models/model-facts.js';
import { requestSizes } from './request-size.js';
import { safeCounter } from './token-counter.js';
import type { TokenCounter } from './token-counter.js';

/** An image as large as a provider reads it. Unit: tokens. @see https://docs.claude.com/en/docs/build-with-claude/vision */
const tokensPerImage = 1_600;

/** Options of {@link estimateCounter}. */
export interface EstimateOptions {
  /** Unit: tokens. @defaultValue 1,600, what Anthropic bills for a large one */
  readonly tokensPerImage?: number;
}

/**
 * A counter by the length of the text: the model's characters a token for letters of the Latin script, one token for each
 * character of scripts such as Chinese, 4 for the frame of a message, 8 for that of a tool or call. For models whose
 * tokenizer is not public; correct it with {@link calibrated}. The counter remembers what frozen messages count, as long as they
 * live.
 */
export function estimateCounter(facts: Pick<ModelFacts, 'charsPerToken'>, options: EstimateOptions = {}): TokenCounter {
  const { charsPerToken } = facts;
  const size = requestSizes({
    ofText: (text) => textTokens(text, charsPerToken),
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

/** Chinese, Japanese, Korean: about one token a character in every current tokenizer. */
const wide = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/g;

function textTokens(text: string, charsPerToken: number): number {
  const wideCharacters = text.match(wide)?.length ?? 0;
  return wideCharacters + Math.ceil((text.length - wideCharacters) / charsPerToken);
}
