export type { Replacement, ViewNote, ViewOptions } from './view.js';
export { View } from './view.js';
export { ViewProjection } from './view-projection.js';
export type { ViewProperty } from './view-property.js';
export { longestRun } from './view-property.js';
export { withoutProperties } from './run-units.js';
export type { EventSequence } from './event-sequence.js';
export type { MatchingEvents } from './matching-events.js';
export { matchingEvents } from './matching-events.js';
export type { CutPoints } from './cut-points.js';
export type { RenderOptions, ThinkingMode } from './render-options.js';
export type { SentBatch, SentCall, SentItem, SentLatePair, SentOrder, SentResult, SentWords } from './sent-order.js';
export { itemMessages } from './messages-from-view.js';
export type { EstimateTokens } from './token-estimate.js';
export { estimateTokens } from './token-estimate.js';
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
export type { CondensationOptions } from './condensation.js';
export { condensation } from './condensation.js';
export type { Selection } from './forgettable.js';
export { forgettableEventIds } from './forgettable.js';
export { isLaterView, rebasedCondensation } from './rebased-condensation.js';
export type { Unit } from './units.js';
export { unitsOf } from './units.js';
export type { NewestStep } from './newest-step.js';
export { newestStep } from './newest-step.js';
export { viewOfLog } from './view-of-log.js';
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
export { protectedEventIds } from './protected-events.js';
export type { PinEvent, PinOptions } from './pin.js';
export { pin, unpin } from './pin.js';
export type { PinState } from './pinned-events.js';
export { isPin, pinnedEventIds, pinStates } from './pinned-events.js';
export { redactedCopy } from './redacted-copy.js';
export { untilAborted } from './until-aborted.js';
export { InvalidCondensedLogError, InvalidCondenserResultError, NoCondensationAvailableError } from './errors.js';
