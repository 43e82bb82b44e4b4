export type {
  CacheMark,
  CallChange,
  Codec,
  HostMessage,
  MessageChanges,
  RecalledContent,
  ResultChange,
} from './codec.js';
export type { CondensedHistory } from './condensed-history.js';
export type { CondensedHistoryOptions, FitOptions, Fitted } from './fit.js';
export { condensedHistory } from './condensed-history.js';
export type { RelevanceOptions, ToolAnswer } from './own-tools.js';
export type { ModelOptions } from './model.js';
export { ChangedMessagesError, InvalidMessagesError, UnreadUsageError } from './errors.js';
export type { ChatMessageLike, ChatMessagesOptions, ChatTool } from './chat-messages.js';
export { chatMessages } from './chat-messages.js';
export type { AnthropicMessageLike, AnthropicTool } from './anthropic-messages.js';
export { anthropicMessages } from './anthropic-messages.js';
export type { ResponsesItemLike, ResponsesTool } from './responses-items.js';
export { responsesItems } from './responses-items.js';
export { unmarked } from './host-parts.js';
export { isPreamble, withPreambles } from './preambles.js';
export { field, isRecord, listOf, textOf } from '@palimpsest/llm-adapters/wire';
