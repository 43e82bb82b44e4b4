export type {
  CacheHints,
  CachePlace,
  CallState,
  Completion,
  CompletionRequest,
  CountedUsage,
  Delta,
  FailedAttempt,
  FinishReason,
  JsonSchemaFormat,
  LLM,
  RateWait,
  ToolChoice,
} from './llm.js';
export { endedNaturally, wholeCalls } from './llm.js';
export type { LLMErrorOptions, OverflowKind, RateLimitKind } from './errors.js';
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
export type { Effort, ModelFacts, ModelProvider, ThinkingControl } from './models/model-facts.js';
export { modelFacts } from './models/model-facts.js';
export type { PriceRow } from './models/price-table.js';
export { pricesAt, priceTable } from './models/price-table.js';
export type { CostDetails, PriceTier, TokenPrices, TokenRates } from './prices.js';
export { costOf } from './prices.js';
export type { LimitedLLMOptions } from './rates/limited-llm.js';
export { limitedLLM } from './rates/limited-llm.js';
export type {
  MemoryRateLimitStoreOptions,
  RateCharge,
  RateCost,
  RateLimit,
  RateLimitOptions,
  RateLimitStore,
} from './rates/rate-limit.js';
export { memoryRateLimitStore, rateLimit } from './rates/rate-limit.js';
export type { RetryOptions } from './retry.js';
export type { Usage } from '@palimpsest/events';
export { estimateInputTokens, estimateUsage, noUsage, sumUsage, totalInputTokens } from './usage.js';
export type {
  AnsweredRequest,
  CacheDrift,
  CacheDriftReason,
  PromptHints,
  RequestPair,
  SentPrompt,
} from './prompt-cache.js';
export { cacheDriftOf, expectedCacheRead, promptToSend } from './prompt-cache.js';
export { unnamedToolName } from './wire/pieces.js';
