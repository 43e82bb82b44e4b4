export type {
  CacheHints,
  CachePlace,
  CallState,
  Completion,
  CompletionRequest,
  CountedUsage,
  FinishReason,
  JsonSchemaFormat,
  LLM,
  ToolChoice,
} from './llm.js';
export type { Delta } from './delta.js';
export { deltasFromMessage } from './delta.js';
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
export type { RateCost, RateLimit, RateLimitOptions, RateWait } from './rates/rate-limit.js';
export { rateLimit } from './rates/rate-limit.js';
export type { MemoryRateLimitStoreOptions, RateCharge, RateLimitStore } from './rates/rate-limit-store.js';
export { memoryRateLimitStore } from './rates/rate-limit-store.js';
export type { FailedAttempt, RetryOptions } from './retry.js';
export type { Usage } from '@palimpsest/events';
export { noUsage, sumUsage, totalInputTokens } from './usage.js';
export type { PromptHints, SentPrompt } from './prompt-cache.js';
export { promptToSend } from './prompt-cache.js';
export type { AnsweredRequest, CacheDrift, CacheDriftReason, RequestPair } from './cache-drift.js';
export { cacheDriftOf, expectedCacheRead } from './cache-drift.js';
export { endedNaturally, wholeCalls } from './whole-calls.js';
export { estimateInputTokens, estimateUsage } from './usage-estimate.js';
export { unnamedToolName } from './wire/received-call.js';
