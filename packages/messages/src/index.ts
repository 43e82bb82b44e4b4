export type {
  CacheMark,
  CallChange,
  Codec,
  HostMessage,
  MessageChanges,
  RecalledContent,
  ResultChange,
} from './codecs/codec.js';
export type { CondensedHistory } from './condensed-history.js';
export type { CondensedHistoryOptions, FitOptions, Fitted } from './fit.js';
export { condensedHistory } from './condensed-history.js';
export type { RelevanceOptions, ToolAnswer } from './own-tools.js';
export type { ModelOptions } from './model.js';
export { ChangedMessagesError, InvalidMessagesError, UnreadUsageError } from './errors.js';
export type { ChatMessageLike, ChatMessagesOptions, ChatTool } from './codecs/chat.js';
export { chatMessages } from './codecs/chat.js';
export type { AnthropicMessageLike, AnthropicTool } from './codecs/anthropic.js';
export { anthropicMessages } from './codecs/anthropic.js';
export type { ResponsesItemLike, ResponsesTool } from './codecs/responses.js';
export { responsesItems } from './codecs/responses.js';
export { unmarked } from './codecs/parts.js';
export { isPreamble, withPreambles } from './codecs/preambles.js';
export { field, isRecord, listOf, textOf } from '@palimpsest/llm-adapters/wire';
