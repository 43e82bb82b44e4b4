// Thrown by a conversation, and therefore exported here too.
export { ConversationBusyError } from '@palimpsest/events';
export { Agent } from './agent.js';
export type { AgentOptions } from './agent-options.js';
export type { EventSink } from './event-sink.js';
export type { StepOptions } from './step/step-options.js';
export type { StepOutcome } from './step/step-outcome.js';
export type { ConversationState } from './conversation-state.js';
export { ConversationStateProjection } from './conversation-state.js';
export { Conversation } from './conversation.js';
export type {
  ConversationOptions,
  ForkOptions,
  RequestOptions,
  RunOptions,
} from './conversation/conversation-options.js';
export type { CacheDriftReport } from './model/cache-watch.js';
export { cacheDriftKey } from './model/cache-watch.js';
export type { StandingWords } from './model/standing-words.js';
export type { ConversationStatus, RunOutcome } from './conversation/run-outcome.js';
export type { ToolExecutionOptions } from './tools/tool-execution-options.js';
export { executeActions } from './tools/tool-execution.js';
export type { PreparedCall, Toolset } from './tools/tool-call.js';
export { prepareCall, toolset } from './tools/tool-call.js';
export type { AskedOfModel } from './tools/asked-fields.js';
export { toolEvent, toolSender } from './tools/tool-event.js';
export { finishTool, finishToolName } from './tools/finish-tool.js';
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
export type { OutputLimit } from './tools/output-limit.js';
export type { OutputPart, OutputStore } from './tools/output-store.js';
export { readOutputTool, readOutputToolName } from './tools/read-output-tool.js';
export type { WholeOutputEvent } from './tools/whole-output.js';
export { requestCondensationTool, requestCondensationToolName } from './condensing/request-condensation-tool.js';
export type { StuckFinding, StuckPattern, StuckThresholds } from './stuck-detection.js';
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
export { environmentWithoutSecrets, minEnvironmentSecretLength, secretsOfEnvironment } from './secrets/environment.js';
export type { TextStream } from './secrets/search.js';
