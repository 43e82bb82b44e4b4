// Thrown by a conversation, and therefore exported here too.
export { ConversationBusyError } from '@palimpsest/events';
export { Agent } from './agent.js';
export type { AgentOptions } from './agent-options.js';
export type { EventSink, StepOptions } from './step.js';
export type { ConversationStatus, RunOutcome, StepOutcome, StuckPattern } from './outcome.js';
export type { ConversationState, MessagesInForce } from './state.js';
export { ConversationStateProjection } from './state.js';
export { Conversation } from './conversation/conversation.js';
export type { ConversationOptions, ForkOptions, RequestOptions, RunOptions } from './conversation/options.js';
export type { CacheDriftReport } from './model/cache-watch.js';
export { cacheDriftKey } from './model/cache-watch.js';
export type { Toolset } from './tool-calls/call.js';
export type { AskedOfModel } from './tool-calls/requested-fields.js';
export { toolEvent } from './tool-calls/run-tool.js';
export {
  finishTool,
  finishToolName,
  readOutputTool,
  readOutputToolName,
  requestCondensationTool,
} from './tool-calls/built-in-tools.js';
export type { ConfirmationPolicy, SecurityRisk } from './confirmation.js';
export type { Hooks, Remark, Verdict } from './hooks.js';
export type {
  CondensationWork,
  EarlierRun,
  Instrumentation,
  ModelCallWork,
  RunWork,
  ToolWork,
  Work,
} from './instrumentation.js';
export { instrumentedLLM } from './instrumentation.js';
export type { OutputLimit, OutputPart, OutputStore, WholeOutputEvent } from './tool-calls/output.js';
export type { StuckFinding, StuckThresholds } from './stuck-detection.js';
export { defaultStuckThresholds, stuckPattern } from './stuck-detection.js';
export type { Limits } from './limits.js';
export { defaultLimits, maxCondensationsInARow, maxContinuations } from './limits.js';
export {
  CondensationNotInForceError,
  CondensationNotSupportedError,
  ContextOverflowError,
  ConversationClosedError,
  ConversationRunError,
  EventNotInViewError,
  LimitExceededError,
  NoUserMessageError,
  ToolEventRefusedError,
} from './errors.js';
export type { SecretMask } from './secrets/mask.js';
export { InvalidSecretError, maskedDeltas, maskedEvents, maskedTool, secretMask } from './secrets/mask.js';
export { minSecretLength } from './secrets/search.js';
export type { Environment } from './secrets/environment.js';
export { environmentWithoutSecrets, secretsOfEnvironment } from './secrets/environment.js';
export type { TextStream } from './secrets/search.js';
