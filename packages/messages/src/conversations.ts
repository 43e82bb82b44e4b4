import { digestOf, messageDigest } from './digest.js';
import type { CondensedHistoryOptions, FitOptions, Fitted } from './condensed-history.js';
import { Conversation } from './conversation.js';
import { InvalidMessagesError } from './errors.js';
import { readBy } from './host-list.js';

const defaultMaxConversations = 100;

/** The conversations of a history that were used last. */
export class Conversations {
  readonly #options: CondensedHistoryOptions<unknown>;
  /** The one that was used last is the last. */
  readonly #conversations = new Map<string, Conversation>();

  constructor(options: CondensedHistoryOptions<unknown>) {
    this.#options = options;
  }

  async fit(messages: readonly unknown[], options: FitOptions): Promise<Fitted<unknown>> {
    if (!Array.isArray(messages)) throw new InvalidMessagesError(messages);
    options.signal?.throwIfAborted();
    // The host may go on appending while a condenser works.
    return this.#conversation(messages, options).fit([...(messages as readonly unknown[])], options);
  }

  #conversation(messages: readonly unknown[], { conversationId }: FitOptions): Conversation {
    const id = conversationId ?? this.#nameOf(messages);
    const known = this.#conversations.get(id);
    const conversation = known ?? new Conversation(id, this.#options);
    this.#conversations.delete(id);
    this.#conversations.set(id, conversation);
    const [oldest] = this.#conversations.keys();
    if (this.#conversations.size > (this.#options.maxConversations ?? defaultMaxConversations)) {
      this.#conversations.delete(oldest as string);
    }
    return conversation;
  }

  /** Two conversations that begin alike share a name, and nothing else: their events differ in place. */
  #nameOf(messages: readonly unknown[]): string {
    for (const message of messages) {
      const host = readBy(this.#options.codec, message);
      if (host.role === 'user') return `messages-${messageDigest(host)}`;
    }
    return `messages-${digestOf('')}`;
  }
}
