export type {
  CallPiece,
  ContentPiece,
  Piece,
  ReadMessage,
  ResultPiece,
  ThinkingPiece,
  UnreadPiece,
} from './read-message.js';
export { contentOf, standIn } from './read-message.js';
export { startOfConversation } from './placeholders.js';
export { readAnthropicMessage, readAnthropicSystem } from './anthropic-reader.js';
export { readChatMessage } from './chat-reader.js';
export { readOpenAIContent } from './openai-content.js';
export { readResponsesItem } from './responses-reader.js';
export type { RefusalKind } from './refusal-kind.js';
export { refusalKind } from './refusal-kind.js';
export { readTool } from './tool-definition.js';
export type { ReportedUsage } from './reported-usage.js';
export { anthropicUsage, openaiUsage } from './reported-usage.js';
export { usageInAnyForm } from './usage-forms.js';
export type { HostFileOptions } from './host-file.js';
export { hostFileIn } from './host-file.js';
export type { AnswerOptions } from './answer-builder.js';
export { AnswerBuilder } from './answer-builder.js';
export type { HistoryOptions, HistoryRules, PlacedEvent } from './history-events.js';
export { HistoryEvents } from './history-events.js';
export { field, isRecord, listOf, textOf } from './json-fields.js';
export { receivedArguments, unknownToolName, unnamedToolName } from './received-call.js';
export type { AnthropicBlock, BlockWriting } from './anthropic-writer.js';
export { messageBlocks } from './anthropic-writer.js';
export type { ChatDialect, ChatMessage, ChatWriting } from './chat-writer.js';
export { chatMessage } from './chat-writer.js';
export type { InputItem, ItemWriting } from './responses-writer.js';
export { inputItems } from './responses-writer.js';
export type { CallIds } from './call-ids.js';
export { callIds } from './call-ids.js';
export type { ToolNames } from './tool-names.js';
export { toolNames } from './tool-names.js';
export { isReadableInput, loggedArguments, toolInput } from './tool-input.js';
