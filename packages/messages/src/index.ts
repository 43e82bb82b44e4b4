export type { CacheMark, CallChange, Codec, HostMessage, MessageChanges, ResultChange } from './codec.js';
export type { CondensedHistory, CondensedHistoryOptions, FitOptions, Fitted } from './condensed-history.js';
export { condensedHistory } from './condensed-history.js';
export type { ModelOptions } from './model.js';
export { InvalidMessagesError } from './errors.js';
export type { ChatMessageLike, ChatMessagesOptions } from './chat-messages.js';
export { chatMessages } from './chat-messages.js';
export { isPreamble, withPreambles } from './preambles.js';
