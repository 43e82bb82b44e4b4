// A condenser of ours is its folder, its line here, and its name in config/own-condensers.ts.
export { amortizedForgetting, amortizedForgettingCondenser } from './amortized-forgetting/amortized-forgetting.js';
export { browserOutput, browserOutputCondenser } from './browser-output/browser-output.js';
export { conversationWindow, conversationWindowCondenser } from './conversation-window/conversation-window.js';
export { extractiveSummary, extractiveSummaryCondenser } from './extractive-summary/extractive-summary.js';
export { llmAttention, llmAttentionCondenser } from './llm-attention/llm-attention.js';
export { llmSummarizing, llmSummarizingCondenser } from './llm-summarizing/llm-summarizing.js';
export { noOp, noOpCondenser } from './no-op/no-op.js';
export { observationMasking, observationMaskingCondenser } from './observation-masking/observation-masking.js';
export { pipeline, pipelineCondenser } from './pipeline/pipeline.js';
export { recentEvents, recentEventsCondenser } from './recent-events/recent-events.js';
export { slidingWindow, slidingWindowCondenser } from './sliding-window/sliding-window.js';
export { structuredSummary, structuredSummaryCondenser } from './structured-summary/structured-summary.js';

export type { CondenseContext, Condenser } from '@palimpsest/view';
export type { AmortizedForgettingOptions } from './amortized-forgetting/amortized-forgetting.js';
export type { BrowserOutputOptions } from './browser-output/browser-output.js';
export type { ConversationWindowOptions } from './conversation-window/conversation-window.js';
export type { ExtractiveSummaryOptions } from './extractive-summary/extractive-summary.js';
export type { LLMAttentionOptions } from './llm-attention/llm-attention.js';
export type { LLMSummarizingOptions } from './llm-summarizing/llm-summarizing.js';
export type { ObservationMaskingOptions } from './observation-masking/observation-masking.js';
export type { RecentEventsOptions } from './recent-events/recent-events.js';
export type { SlidingWindowOptions } from './sliding-window/sliding-window.js';
export type { StructuredSummaryOptions } from './structured-summary/structured-summary.js';
export type {
  LLMSummarizerOptions,
  Summarizer,
  SummaryInput,
  SummaryResult,
} from './authoring/summaries/summarizer.js';
export { llmSummarizer } from './authoring/summaries/summarizer.js';
export type { ModelCallOptions } from './authoring/options/model-call-options.js';
export type { SizeOptions } from './authoring/options/size-options.js';
export type { Prompt, PromptEvent, PromptValues } from './authoring/prompts/prompt.js';
export { summaryTemplate } from './authoring/prompts/summary.prompt.js';
export { structuredSummaryTemplate } from './structured-summary/structured-summary.prompt.js';
export { attentionTemplate } from './llm-attention/attention.prompt.js';
export { windowSummaryTemplate } from './sliding-window/window-summary.prompt.js';
export type { CondenserModelErrorOptions, ModelAccount, ModelFailureKind } from './authoring/model/model-failure.js';
export { CondenserModelError } from './authoring/model/model-failure.js';
export { CondenserNotFoundError, InvalidCondenserConfigError } from './authoring/errors.js';
