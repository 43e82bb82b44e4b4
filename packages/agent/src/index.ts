// Part of what a conversation throws, so it is found here too.
export { ConversationBusyError } from '@palimpsest/events';
export type { AgentOptions, StepOptions, StepOutcome } from './agent.js';
export { Agent } from './agent.js';
export type { ConversationState } from './conversation-state.js';
export { ConversationStateProjection } from './conversation-state.js';
export { Conversation } from './conversation.js';
export type { ConversationOptions, ForkOptions, RunOptions } from './conversation-options.js';
export type { StandingWords } from './standing-words.js';
export type { ConversationStatus, RunOutcome } from './run-outcome.js';
export type { ToolExecutionOptions } from './tool-execution.js';
export { executeActions } from './tool-execution.js';
export type { PreparedCall, Toolset } from './tool-call.js';
export { prepareCall, toolset } from './tool-call.js';
export { toolEvent, toolSender } from './tool-event.js';
export { finishTool, finishToolName } from './finish-tool.js';
export type { ConfirmationPolicy, SecurityRisk } from './confirmation.js';
export type { Hooks, Remark, Verdict } from './hooks.js';
export type { OutputLimit } from './output-limit.js';
export type { OutputStore } from './output-store.js';
export { readOutputTool, readOutputToolName } from './read-output-tool.js';
export type { WholeOutputEvent } from './whole-output.js';
export { requestCondensationTool, requestCondensationToolName } from './request-condensation-tool.js';
export type { StuckFinding, StuckPattern, StuckThresholds } from './stuck-detection.js';
export { defaultStuckThresholds, stuckPattern } from './stuck-detection.js';
export type { Limits } from './limits.js';
export { defaultLimits, maxCondensationsInARow } from './limits.js';
export {
  CondensationNotInForceError,
  CondensationNotSupportedError,
  ContextOverflowError,
  ConversationClosedError,
  ConversationRunError,
  LimitExceededError,
  NoUserMessageError,
  ToolEventRefusedError,
} from './errors.js';
export type { SecretMask } from './secrets.js';
export { maskedDeltas, maskedEvents, maskedTool, minSecretLength, secretMask } from './secrets.js';
export type { TextStream } from './secrets-stream.js';
export { InvalidSecretError } from './secrets-errors.js';
