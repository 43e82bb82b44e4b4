import type { Message } from '@palimpsest/events';
import type OpenAI from 'openai';
import { HistoryRuns } from '../history-runs.js';
import type { HistoryReader } from '../history-runs.js';
import { callIds } from '../wire/call-ids.js';
import type { CallIds } from '../wire/call-ids.js';
import { chatMessage } from '../wire/chat-writer.js';
import type { ToolNames } from '../wire/tool-names.js';
import { MessageOrder } from './message-order.js';
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

const runs = new HistoryRuns<ChatWriter>();

/** Writes a history for a server, in order. */
export function chatMessages(messages: readonly Message[], options: ChatMessagesOptions): ChatMessages {
  const { names, profile, textInParts } = options;
  const ids = () => (profile.callIds === 'forty' ? callIds({ maxLength: maxCallIdLength }) : mistralCallIds());
  // Some settings of a profile do not change how messages are written. To leave them out would save nothing.
  const inputs = [names.changes, textInParts, ...Object.values<unknown>({ ...profile })];
  return runs.read(messages, () => new ChatWriter(options, ids()), inputs).end();
}

class ChatWriter implements HistoryReader<ChatWriter> {
  readonly #options: ChatMessagesOptions;
  readonly #ids: CallIds;
  readonly #order: MessageOrder;
  readonly #sent: WireMessage[];
  readonly #sentBefore: number[];

  constructor(options: ChatMessagesOptions, ids: CallIds, before?: ChatWriter) {
    const { names, profile: dialect, textInParts } = options;
    this.#options = options;
    this.#ids = ids;
    this.#sent = before === undefined ? [] : before.#sent.slice();
    this.#sentBefore = before === undefined ? [] : before.#sentBefore.slice();
    this.#order = new MessageOrder(
      dialect,
      (message) => this.#sent.push(chatMessage(message, { ids, names, dialect, textInParts }) as WireMessage),
      before === undefined ? undefined : before.#order,
    );
  }

  add(message: Message): void {
    this.#sentBefore.push(this.#order.add(message));
  }

  fork(): ChatWriter {
    return new ChatWriter(this.#options, this.#ids.fork(), this);
  }

  /** Ends the list; nothing may be added to the writer then. */
  end(): ChatMessages {
    this.#sentBefore.push(this.#order.end());
    return { sent: this.#sent, sentBefore: this.#sentBefore };
  }
}
