export type { CustomKind, EventBase, EventId, EventSource, Immutable } from './event-base.js';
export type { CustomEvent, Event } from './event.js';
export { eventBaseSchema } from './event-base.js';
export type {
  ActionEvent,
  AgentErrorEvent,
  CondensationSummaryEvent,
  LLMConvertibleEvent,
  MessageEvent,
  ObservationEvent,
  SystemPromptEvent,
  ToolDefinition,
  ToolResultEvent,
  UserRejectObservation,
} from './llm-convertible-events.js';
export { isLLMConvertible, isToolResult } from './llm-convertible-events.js';
export type {
  BegunCall,
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
  Usage,
} from './internal-events.js';
export { usageSchema } from './internal-events.js';
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
export { contentPartSchema } from './message.js';
export type { Tool, ToolContext, ToolOutput } from './tool.js';
export { defineTool, toolDefinition } from './tool.js';
export type { HostFile, HostFileKind } from './event-content.js';
export {
  describeHostFile,
  hostFile,
  hostFilesOf,
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
} from './event-content.js';
export {
  wellFormedEvent,
  wellFormedJson,
  wellFormedMessage,
  wellFormedPart,
  wellFormedToolCall,
} from './well-formed.js';
export { sliceText, textBoundary, textRange, withoutControls } from './text-slice.js';
export { estimateTextTokens } from './text-tokens.js';
export type { CreateEvent } from './create-event.js';
export { createEvent, eventFactory, newEventId, userMessage } from './create-event.js';
export { nearName, plainName } from './near-name.js';
export { addressOf, isAddress } from './address.js';
export { adoptEvent, errorTexts, parseEvent } from './parse-event.js';
export { EventLog } from './event-log.js';
export type { ConversationWriter, EventStore } from './event-store.js';
export { assertConversationId, assertExpectedVersion, assertReadFrom, eventReading } from './event-store.js';
export { memoryEventStore } from './memory-event-store.js';
export {
  ConcurrencyError,
  ConversationBusyError,
  DuplicateEventError,
  EventStoreError,
  InvalidConversationIdError,
  InvalidEventError,
  LogTooLargeError,
  PalimpsestError,
  WriterOustedError,
} from './errors.js';
