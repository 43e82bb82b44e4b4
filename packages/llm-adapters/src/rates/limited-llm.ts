import type { Usage } from '@palimpsest/events';
import { assertOptions, isBoolean, isFunction, isObject } from '../options.js';
import type { OptionChecks } from '../options.js';
import { LLMError, RateLimitError } from '../errors.js';
import type { CompletionRequest, LLM, RateWait } from '../llm.js';
import { llmAround } from '../llm.js';
import { estimateInputTokens, totalInputTokens } from '../usage.js';
import type { RateCost, RateLimit } from './rate-limit.js';

/** Options of {@link limitedLLM}. */
export interface LimitedLLMOptions {
  /** Models that share an account's limit share this object. */
  readonly limit: RateLimit;
  /**
   * True if the provider counts input that comes from its prompt cache. @defaultValue false for Anthropic's models,
   * true for others
   *
   * @see https://platform.claude.com/docs/en/api/rate-limits Anthropic: cache reads do not count
   * @see https://platform.openai.com/docs/guides/prompt-caching OpenAI: caching does not change rate limits
   */
  readonly countsCacheReads?: boolean;
  /** Counts the input of a request before it is sent. Unit: tokens. @defaultValue {@link estimateInputTokens} */
  readonly count?: (request: Pick<CompletionRequest, 'messages' | 'tools'>) => number;
  /** Called once for each call that has to wait. It must not throw. @defaultValue nobody is told */
  readonly onWait?: (wait: RateWait) => void;
}

const optionChecks: OptionChecks<LimitedLLMOptions> = {
  limit: isObject,
  countsCacheReads: isBoolean,
  count: isFunction,
  onWait: isFunction,
};

/** The expected size of an answer before one was seen. Unit: tokens. */
const firstOutputTokens = 1_000;

/**
 * Returns a model whose calls wait for a {@link RateLimit} before they are sent, each try of a call on its own. Tokens are
 * estimated before a call and corrected by the usage afterwards. The output is estimated by the answers before. When the provider
 * refuses all the same and asks to wait, everything that shares the limit waits. `countTokens` does not wait.
 *
 * @example
 * ```ts
 * const limit = rateLimit({ requestsPerMinute: 500, tokensPerMinute: 200_000 });
 * const llm = limitedLLM(openaiLLM({ model: 'gpt-5' }), { limit });
 * ```
 */
export function limitedLLM(llm: LLM, options: LimitedLLMOptions): LLM {
  assertOptions(options, optionChecks, 'limitedLLM');
  const { limit, count = estimateInputTokens, countsCacheReads = llm.facts?.provider !== 'anthropic' } = options;
  let usualOutputTokens = firstOutputTokens;

  const expectedCost = (request: CompletionRequest): RateCost => ({
    inputTokens: count(countsCacheReads ? request : uncachedPart(request)),
    outputTokens: Math.min(usualOutputTokens, request.maxOutputTokens ?? Infinity),
  });
  const costOf = (usage: Usage): RateCost => ({
    inputTokens: totalInputTokens(usage) - (countsCacheReads ? 0 : usage.cacheReadTokens),
    outputTokens: usage.outputTokens,
  });

  return llmAround(llm, {
    complete: async (request) => {
      const { signal } = request;
      const expected = expectedCost(request);
      let hasWaited = false;
      const onWait = (wait: RateWait): void => {
        if (hasWaited) return;
        hasWaited = true;
        options.onWait?.(wait);
        request.onWait?.(wait);
      };
      /** The answer, or the refusal, is not lost because it cannot be counted. */
      const correct = (actual: RateCost) => limit.correct(expected, actual).catch(() => undefined);
      const refused = async (error: unknown) => {
        if (isRefusal(error)) await correct({});
      };
      await limit.acquire(expected, { signal, onWait });
      const completion = await llm
        .complete({
          ...request,
          onRetry: async (failure) => {
            await request.onRetry?.(failure);
            const { error } = failure;
            await refused(error);
            if (RateLimitError.isInstance(error) && error.retryAfterMs !== undefined) {
              await limit.pause(error.retryAfterMs);
            }
            await limit.acquire(expected, { signal, onWait });
          },
        })
        .catch(async (error: unknown) => {
          await refused(error);
          throw error;
        });
      const { usage } = completion;
      if (usage.outputTokens >= 0) usualOutputTokens += (usage.outputTokens - usualOutputTokens) / 5;
      await correct(costOf(usage));
      return completion;
    },
  });
}

/** Returns true if the provider has read no tokens: it refused the request, which counts as one all the same. */
function isRefusal(error: unknown): boolean {
  return LLMError.isInstance(error) && (!error.isRetryable || RateLimitError.isInstance(error));
}

/** Returns the share that the prompt cache does not hold, as far as the request says. */
function uncachedPart(request: CompletionRequest): Pick<CompletionRequest, 'messages' | 'tools'> {
  const { cachedMessages = 0 } = request.cache ?? {};
  const messages = typeof cachedMessages === 'number' ? cachedMessages : cachedMessages.messages;
  return messages > 0 ? { messages: request.messages.slice(messages) } : request;
}
