export type { CustomKind } from './custom-kind.js';
export type { CustomEvent, Event } from './event.js';
export type { EventBase, EventId, EventSource } from './event-base.js';
export { eventBaseSchema } from './event-base.js';
export type {
  ActionEvent,
  AgentErrorEvent,
  CondensationSummaryEvent,
  LLMConvertibleEvent,
  MessageEvent,
  ObservationEvent,
  SystemPromptEvent,
  ToolResultEvent,
  UserRejectObservation,
} from './llm-convertible-events.js';
export {
  actionEventSchema,
  agentErrorEventSchema,
  condensationSummaryEventSchema,
  isLLMConvertible,
  isToolResult,
  messageEventSchema,
  observationEventSchema,
  systemPromptEventSchema,
  userRejectObservationSchema,
} from './llm-convertible-events.js';
export type {
  BrokenResponseEvent,
  Condensation,
  CondensationAttempt,
  CondensationRequest,
  CondensationRevert,
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  InternalEvent,
  LLMUsageEvent,
  PauseEvent,
  Redaction,
} from './internal-events.js';
export {
  brokenResponseEventSchema,
  condensationAttemptSchema,
  condensationRequestSchema,
  condensationRevertSchema,
  condensationSchema,
  conversationErrorEventSchema,
  conversationStateUpdateEventSchema,
  llmUsageEventSchema,
  pauseEventSchema,
  redactionSchema,
} from './internal-events.js';
export type {
  AssistantMessage,
  ContentPart,
  CustomContent,
  CustomThinkingBlock,
  ImageContent,
  KnownContent,
  KnownThinking,
  KnownThinkingBlock,
  Message,
  ReasoningItem,
  SystemMessage,
  TextContent,
  Thinking,
  ThinkingBlock,
  ToolCall,
  ToolMessage,
  UserMessage,
} from './message.js';
export {
  contentPartSchema,
  imageContentSchema,
  reasoningItemSchema,
  textContentSchema,
  thinkingBlockSchema,
  toolCallSchema,
} from './message.js';
export type { BegunCall } from './incomplete-answer.js';
export { begunCallSchema } from './incomplete-answer.js';
export type { Immutable } from './immutable.js';
export type { Usage } from './usage.js';
export { usageSchema } from './usage.js';
export type { ToolDefinition } from './tool-definition.js';
export { toolDefinitionSchema } from './tool-definition.js';
export type { Tool, ToolContext, ToolOutput } from './tool.js';
export { defineTool, toolDefinition } from './tool.js';
export type { HostFile, HostFileKind } from './host-file.js';
export { describeHostFile, hostFile, hostFilesOf } from './host-file.js';
export {
  isErrorResult,
  isKnownContent,
  isKnownThinkingBlock,
  isMeaningful,
  isSentRole,
  isUserMessage,
  knownThinking,
  meaningfulContent,
  messageContent,
  repositioned,
  resultContent,
  summaryContent,
  systemPromptContent,
  toolResultContent,
} from './message-from-event.js';
export { wellFormedEvent } from './well-formed-event.js';
export { wellFormedJson } from './well-formed-json.js';
export { wellFormedMessage, wellFormedPart, wellFormedThinking, wellFormedToolCall } from './well-formed-message.js';
export { sliceText, textBoundary, textRange, withoutControls } from './text-slice.js';
export { estimateTextTokens } from './text-tokens.js';
export type { CreateEvent, EventFields } from './create-event.js';
export { createEvent, eventFactory, userMessage } from './create-event.js';
export { newEventId } from './event-id.js';
export { addressOf, isAddress } from './address.js';
export { errorTexts } from './error-texts.js';
export { adoptEvent, parseEvent } from './parse-event.js';
export type { EventLogOptions, EventObserver } from './event-log.js';
export { EventLog } from './event-log.js';
export type { ConversationWriter, EventReading, EventStore } from './event-store.js';
export { assertConversationId, assertExpectedVersion, assertReadFrom } from './event-store.js';
export { eventReading } from './event-reading.js';
export { memoryEventStore } from './memory-event-store.js';
export {
  ConcurrencyError,
  ConversationBusyError,
  DuplicateEventError,
  EventStoreError,
  InvalidConversationIdError,
  InvalidEventError,
  PalimpsestError,
  WriterOustedError,
} from './errors.js';
