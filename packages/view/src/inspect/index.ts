export type { ContextKind, ContextPart, ContextUse } from './context-use.js';
export { contextUse } from './context-use.js';
export { reasonText } from './reason-text.js';
export { sentThinking } from './sent-thinking.js';
export type { CondensationDetails, ForgottenEvent } from './condensation-history.js';
export { CondensationHistory } from './condensation-history.js';
