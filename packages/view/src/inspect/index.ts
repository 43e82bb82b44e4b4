export type { ContextItem, ContextKind, ContextPart, ContextUse, ContextUseOptions } from './context-use.js';
export { contextUse } from './context-use.js';
export type { SentThinkingOptions } from './sent-thinking.js';
export { sentThinking } from './sent-thinking.js';
export type { CondensationDetails, ForgottenEvent, MaskedEvent } from './condensation-history.js';
export { CondensationHistory } from './condensation-history.js';
