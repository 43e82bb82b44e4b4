export type { RelevanceDirective } from './directive.js';
export {
  isRelevanceDirective,
  relevanceDirectives,
  relevanceDirectiveSchema,
  relevanceDirectiveType,
} from './directive.js';
export type { RelevanceAnswer, RelevanceInput, RelevanceToolOptions } from './tool.js';
export { relevanceTool } from './tool.js';
export type { RelevanceGuardrails } from './guardrails.js';
export { defaultGuardrails } from './guardrails.js';
export type { RejectionCode } from './target.js';
export { defaultMarker } from './redaction.js';
export type { RelevanceCondenser, RelevanceCondenserOptions } from './condenser.js';
export { relevanceCondenser } from './condenser.js';
export type { BatchingRule } from './batching.js';
export { defaultBatchingRule } from './batching.js';
export { neutralizeLabels, observationLabel } from './labels.js';
export type { RecallInput, RecallToolOptions } from './recall/recall-tool.js';
export { recallTool } from './recall/recall-tool.js';
export type { HiddenReason } from './recall/hidden.js';
export type { HiddenSearch, HiddenSearchOptions, HiddenText } from './recall/search-hidden.js';
export { searchHidden } from './recall/search-hidden.js';
export { withRecall } from './recall/recall-tool.js';
export { recallToolName, relevanceToolName } from './description.prompt.js';
export type { RelevanceWiring } from './wiring.js';
export { relevanceWiringProblems } from './wiring.js';
export { relevanceDefinition, relevanceDefinition as default } from './wiring.js';
