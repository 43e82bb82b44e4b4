export type { RenderOptions, Replacement, SentOrder, ThinkingMode, ViewNote, ViewOptions } from './view.js';
export { View, ViewProjection } from './view-projection.js';
export type { ViewProperty } from './fold/runs.js';
export { withoutProperties } from './log-view.js';
export type { CutPoints } from './fold/cut-points.js';
export type { SentBatch, SentCall, SentItem, SentLatePair, SentResult, SentWords } from './fold/send-order.js';
export { itemMessages } from './render/messages.js';
export type { EstimateTokens } from './render/token-estimate.js';
export { estimateMediaTokens, estimateTokens } from './render/token-estimate.js';
export type {
  AgentRequest,
  AttemptReport,
  CachePrices,
  CondenseContext,
  Condenser,
  PendingCondensation,
} from './condenser.js';
export { isCondensation, usualPrices } from './condenser.js';
export type { Reducer, Reduction } from './reducer.js';
export { isReducer } from './reducer.js';
export { cachePricesOf, costOfRewriting, isCacheCold } from './cache-terms.js';
export type { CondensedLog, SettlingOptions } from './condense-until-settled.js';
export { condenseUntilSettled } from './condense-until-settled.js';
export { decisionOf, usualCondenserTimeoutMs } from './decision.js';
export type { CondensationOptions } from './condensation.js';
export { condensation } from './condensation.js';
export type { Selection } from './forgettable.js';
export { forgettableEventIds } from './forgettable.js';
export { isLaterView, rebasedCondensation } from './rebased-condensation.js';
export type { Unit } from './units.js';
export { unitsOf } from './units.js';
export type { NewestStep } from './newest-step.js';
export { newestStep } from './newest-step.js';
export { viewOfLog } from './log-view.js';
export type { ContextItem, ContextKind, ContextPart, ContextUse, ContextUseOptions } from './context-use.js';
export { contextUse } from './context-use.js';
export type { SentThinkingOptions } from './sent-thinking.js';
export { sentThinking } from './sent-thinking.js';
export type { CondensationDetails, ForgottenEvent, MaskedEvent } from './condensation-history.js';
export { CondensationHistory } from './condensation-history.js';
export { keptEventIds } from './kept-events.js';
export { isRecalled, recalledEventIds } from './recalled-results.js';
export type { CondensationProblem } from './condensation-problem.js';
export { condensationProblem, condensedViewProblem } from './condensation-problem.js';
export { cutProtected, withCutWords } from './protected-cuts.js';
export { protectedEventIds } from './protected-events.js';
export type { PinEvent, PinOptions } from './pin.js';
export { pin, unpin } from './pin.js';
export type { PinState } from './pinned-events.js';
export { isPin, pinnedEventIds, pinStates } from './pinned-events.js';
export { redactedCopy } from './fold/redacted-copy.js';
export { untilAborted } from './until-aborted.js';
export {
  CondenserTimeoutError,
  InvalidCondensedLogError,
  InvalidCondenserResultError,
  NoCondensationAvailableError,
} from './errors.js';
