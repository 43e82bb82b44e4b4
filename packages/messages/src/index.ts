export type { CacheMark, CallChange, Codec, HostMessage, MessageChanges, ResultChange } from './codecs/codec.js';
export type { CondensedHistory } from './condensed-history.js';
export type { CondensedHistoryOptions, FitOptions, Fitted } from './fit.js';
export { condensedHistory } from './condensed-history.js';
export {
  ChangedMessagesError,
  InvalidHistoryOptionsError,
  InvalidMessagesError,
  UnreadMessageError,
  UnreadUsageError,
} from './errors.js';
export type { ChatMessageLike, ChatTool } from './codecs/chat.js';
export { chatMessages } from './codecs/chat.js';
export type { AnthropicMessageLike, AnthropicTool } from './codecs/anthropic.js';
export { anthropicMessages } from './codecs/anthropic.js';
export type { ResponsesTool } from './codecs/responses.js';
export { responsesItems } from './codecs/responses.js';
export { unmarked } from './codecs/parts.js';
export { isPreamble, withPreambles } from './codecs/preambles.js';
export type { Joints, TakenApart } from './codecs/taken-apart.js';
export { takenApart } from './codecs/taken-apart.js';
export { field, isRecord, listOf, textOf } from '@palimpsest/llm-adapters/wire';
