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
export { cachePricesOf, costOfRewriting, isCacheCold } from './policy/cache-terms.js';
export type { CondensedLog, SettlingOptions } from './policy/condense-until-settled.js';
export { condenseUntilSettled } from './policy/condense-until-settled.js';
export { decisionOf, usualCondenserTimeoutMs } from './policy/decision.js';
export type { CondensationOptions } from './policy/condensation.js';
export { condensation } from './policy/condensation.js';
export type { Selection } from './policy/forgettable.js';
export { forgettableEventIds } from './policy/forgettable.js';
export { isLaterView, rebasedCondensation } from './policy/rebased-condensation.js';
export type { Unit } from './policy/units.js';
export { unitsOf } from './policy/units.js';
export type { NewestStep } from './policy/newest-step.js';
export { newestStep } from './policy/newest-step.js';
export { viewOfLog } from './log-view.js';
export type { ContextItem, ContextKind, ContextPart, ContextUse, ContextUseOptions } from './inspect/context-use.js';
export { contextUse } from './inspect/context-use.js';
export type { SentThinkingOptions } from './inspect/sent-thinking.js';
export { sentThinking } from './inspect/sent-thinking.js';
export type { CondensationDetails, ForgottenEvent, MaskedEvent } from './inspect/condensation-history.js';
export { CondensationHistory } from './inspect/condensation-history.js';
export { keptEventIds } from './policy/kept-events.js';
export { isRecalled, recalledEventIds } from './policy/recalled-results.js';
export type { CondensationProblem } from './policy/condensation-problem.js';
export { condensationProblem, condensedViewProblem } from './policy/condensation-problem.js';
export { cutProtected, withCutWords } from './policy/protected-cuts.js';
export { protectedEventIds } from './policy/protected-events.js';
export type { PinEvent, PinOptions } from './policy/pin.js';
export { pin, unpin } from './policy/pin.js';
export type { PinState } from './policy/pinned-events.js';
export { isPin, pinnedEventIds, pinStates } from './policy/pinned-events.js';
export { redactedCopy } from './fold/redacted-copy.js';
export { untilAborted } from './policy/until-aborted.js';
export {
  CondenserTimeoutError,
  InvalidCondensedLogError,
  InvalidCondenserResultError,
  NoCondensationAvailableError,
} from './errors.js';
