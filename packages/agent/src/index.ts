// Thrown by a conversation, and therefore exported here too.
export { ConversationBusyError } from '@palimpsest/events';
export { Agent } from './agent.js';
export type { AgentOptions } from './agent-options.js';
export type { ConversationStatus, RunOutcome } from './outcome.js';
export { ConversationStateProjection } from './state.js';
export { Conversation } from './conversation/conversation.js';
export type {
  ConversationOptions,
  FollowOptions,
  LiveChannel,
  LiveListener,
  RunOptions,
} from './conversation/options.js';
export type { CacheDriftReport } from './model/cache-watch.js';
export { cacheDriftKey } from './model/cache-watch.js';
export { toolEvent } from './tool-calls/run-tool.js';
export {
  finishTool,
  finishToolName,
  readOutputTool,
  readOutputToolName,
  requestCondensationTool,
} from './tool-calls/built-in-tools.js';
export type { ConfirmationPolicy } from './confirmation.js';
export type { Hooks } from './hooks.js';
export type { Instrumentation } from './instrumentation.js';
export { instrumentedLLM } from './instrumentation.js';
export type { OutputStore } from './tool-calls/output.js';
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
export { environmentWithoutSecrets, secretsOfEnvironment } from './secrets/environment.js';
