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
export type { RejectionCode } from './rejection.js';
export { defaultMarker } from './redaction-note.js';
export type { RelevanceCondenser, RelevanceCondenserOptions } from './condenser.js';
export { relevanceCondenser } from './condenser.js';
export type { BatchingRule } from './effective-directives.js';
export { defaultBatchingRule } from './effective-directives.js';
export { neutralizeLabels, observationLabel } from './labels.js';
export type { RecallInput, RecallToolOptions } from './recall/recall-tool.js';
export { recallTool } from './recall/recall-tool.js';
export type { HiddenReason } from './recall/hidden-events.js';
export type { HiddenSearch, HiddenSearchOptions, HiddenText } from './recall/search-hidden.js';
export { searchHidden } from './recall/search-hidden.js';
export { withRecall } from './recall/with-recall.js';
export { recallToolName, relevanceToolName } from './tool-names.js';
export type { RelevanceWiring } from './wiring.js';
export { relevanceWiringProblems } from './wiring.js';
export { relevanceDefinition, relevanceDefinition as default } from './definition.js';
