export type { CondenseContext, Condenser } from '@palimpsest/view';
export { noOpCondenser } from './no-op/no-op.js';
export { pipelineCondenser } from './pipeline/pipeline.js';
export type { RecentEventsOptions } from './recent-events/recent-events.js';
export { recentEventsCondenser } from './recent-events/recent-events.js';
export type { ObservationMaskingOptions } from './observation-masking/observation-masking.js';
export { observationMaskingCondenser } from './observation-masking/observation-masking.js';
export type { BrowserOutputOptions } from './browser-output/browser-output.js';
export { browserOutputCondenser } from './browser-output/browser-output.js';
export type { AmortizedForgettingOptions } from './amortized-forgetting/amortized-forgetting.js';
export { amortizedForgettingCondenser } from './amortized-forgetting/amortized-forgetting.js';
export type { ConversationWindowOptions } from './conversation-window/conversation-window.js';
export { conversationWindowCondenser } from './conversation-window/conversation-window.js';
export type { ExtractiveSummaryOptions } from './extractive-summary/extractive-summary.js';
export { extractiveSummaryCondenser } from './extractive-summary/extractive-summary.js';
export type { LLMSummarizingOptions } from './llm-summarizing/llm-summarizing.js';
export { llmSummarizingCondenser } from './llm-summarizing/llm-summarizing.js';
export type { StructuredSummaryOptions } from './structured-summary/structured-summary.js';
export { structuredSummaryCondenser } from './structured-summary/structured-summary.js';
export type { LLMAttentionOptions } from './llm-attention/llm-attention.js';
export { llmAttentionCondenser } from './llm-attention/llm-attention.js';
export type { SlidingWindowOptions } from './sliding-window/sliding-window.js';
export { slidingWindowCondenser } from './sliding-window/sliding-window.js';
export type { SummarizingLimits, SummarizingOptions } from './authoring/summaries/summarizing.js';
export { summarizingCondenser } from './authoring/summaries/summarizing.js';
export type {
  LLMSummarizerOptions,
  Summarizer,
  SummaryInput,
  SummaryResult,
} from './authoring/summaries/summarizer.js';
export { llmSummarizer } from './authoring/summaries/summarizer.js';
export type { RollingOptions } from './authoring/rolling/rolling.js';
export { rollingCondenser } from './authoring/rolling/rolling.js';
export type { Reason, Requirement } from './authoring/rolling/requirement.js';
export { requirementOf } from './authoring/rolling/requirement.js';
export type { Prompt, PromptEvent, PromptValues } from './authoring/prompts/prompt.js';
export { summaryTemplate } from './authoring/prompts/summary.prompt.js';
export { structuredSummaryTemplate } from './structured-summary/structured-summary.prompt.js';
export { attentionTemplate } from './llm-attention/attention.prompt.js';
export { windowSummaryTemplate } from './sliding-window/window-summary.prompt.js';
export { condenserByName, condenserNames, condenserNamesWithModel } from './by-name.js';
export type { CondenserModelErrorOptions, ModelAccount, ModelFailureKind } from './authoring/model/model-failure.js';
export { CondenserModelError } from './authoring/model/model-failure.js';
export { CondenserNotFoundError, InvalidCondenserConfigError } from './authoring/errors.js';
