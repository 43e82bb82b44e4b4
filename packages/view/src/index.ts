export type { SentItem } from './fold/send-order.js';
export type { RenderOptions, Replacement, SentOrder, ThinkingMode, ViewOptions } from './view.js';
export { View, ViewProjection } from './view-projection.js';
export type { ViewProperty } from './fold/runs.js';
export { withoutProperties } from './log-view.js';
export type { CutPoints } from './fold/cut-points.js';
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
  Reducer,
  Reduction,
} from './condenser.js';
export { isCondensation, defaultPrices, isReducer } from './condenser.js';
export { cachePricesOf, costOfRewriting, isCacheCold } from './policy/cache-terms.js';
export { condenseUntilSettled } from './policy/condense-until-settled.js';
export { decisionOf, untilAborted } from './policy/decision.js';
export type { CondensationOptions } from './policy/condensation.js';
export { condensation, isLaterView, rebasedCondensation } from './policy/condensation.js';
export { forgettableEventIds } from './policy/selection.js';
export type { NewestStep, Unit } from './policy/units.js';
export { unitsOf, newestStep } from './policy/units.js';
export { viewOfLog } from './log-view.js';
export { keptEventIds, isRecalled, recalledEventIds, protectedEventIds } from './policy/protection.js';
export { isReference } from './policy/references.js';
export type { CondensationProblem } from './policy/condensation-problem.js';
export { condensationProblem, condensedViewProblem } from './policy/condensation-problem.js';
export { cutProtected, withCutWords } from './policy/protected-cuts.js';
export type { PinEvent, PinState } from './policy/pins.js';
export { pin, unpin, isPin, pinnedEventIds, pinStates } from './policy/pins.js';
export { redactedCopy } from './fold/redacted-copy.js';
export {
  CondenserTimeoutError,
  InvalidCondensedLogError,
  InvalidCondenserResultError,
  NoCondensationAvailableError,
} from './errors.js';
