import type { Message } from '@palimpsest/events';
import type OpenAI from 'openai';
import { callIds } from '../wire/call-ids.js';
import { chatMessage } from './chat/writer.js';
import type { ToolNames } from '../wire/tool-names.js';
import { inOrder } from './chat/message-order.js';
import { mistralCallIds } from './mistral-call-ids.js';
import type { ServerProfile } from './server-profile.js';

type WireMessage = OpenAI.Chat.ChatCompletionMessageParam;

/** @see provider-rules B3 */
const maxCallIdLength = 40;

/** The options of writing the messages of a Chat Completions request. */
export interface ChatMessagesOptions {
  readonly names: ToolNames;
  readonly profile: ServerProfile;
  /** Each text that is not empty is a list of one part, so that it can carry a cache mark. */
  readonly textInParts: boolean;
}

/** The messages of a Chat Completions request. */
export interface ChatMessages {
  /** The list is new; its messages can be shared between requests, and are frozen then. */
  readonly sent: WireMessage[];
  /** For each message of the history and for its end: how many were sent for the messages before. */
  readonly sentBefore: readonly number[];
}

/** Writes a history for a server. */
export function chatMessages(messages: readonly Message[], options: ChatMessagesOptions): ChatMessages {
  const { names, profile, textInParts } = options;
  const ids = profile.callIds === 'forty' ? callIds({ maxLength: maxCallIdLength }) : mistralCallIds();
  const { ordered, orderedBefore } = inOrder(messages, profile);
  const writing = { ids, names, dialect: profile, textInParts };
  return { sent: ordered.map((message) => chatMessage(message, writing) as WireMessage), sentBefore: orderedBefore };
}
