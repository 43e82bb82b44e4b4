export type {
  CacheHints,
  CallState,
  Completion,
  CompletionRequest,
  CountedUsage,
  Delta,
  FailedAttempt,
  FinishReason,
  LLM,
} from './llm.js';
export { endedNaturally, wholeCalls } from './llm.js';
export {
  AuthenticationError,
  ContentPolicyError,
  ContextWindowExceededError,
  InvalidRequestError,
  LLMError,
  MalformedHistoryError,
  MissingSdkError,
  RateLimitError,
  ServiceUnavailableError,
} from './errors.js';
export type { ModelFacts, ModelProvider } from './models/model-facts.js';
export { modelFacts } from './models/model-facts.js';
export { pricesAt, priceTable } from './models/price-table.js';
export type { TokenPrices } from './prices.js';
export { costOf } from './prices.js';
export { limitedLLM } from './rates/limited-llm.js';
export type { RateLimit, RateLimitStore } from './rates/rate-limit.js';
export { memoryRateLimitStore, rateLimit } from './rates/rate-limit.js';
export type { RetryOptions } from './retry.js';
export type { Usage } from '@palimpsest/events';
export { estimateInputTokens, estimateUsage, noUsage, sumUsage, totalInputTokens } from './usage.js';
export type { CacheDrift, CacheDriftReason, RequestPair, SentPrompt } from './prompt-cache.js';
export { cacheDriftOf, expectedCacheRead, promptToSend } from './prompt-cache.js';
export { unnamedToolName } from './wire/pieces.js';
