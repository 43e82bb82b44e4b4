import { pricedCondenser } from '@palimpsest/condensers';
import type { EventStore } from '@palimpsest/events';
import { condensedHistory } from '@palimpsest/messages';
import type { CondensedHistory } from '@palimpsest/messages';
import type { Condenser } from '@palimpsest/view';
import type { ApiName } from '../receipts/receipt.js';
import type { Api } from './api.js';
import { Conversation } from './conversation.js';
import type { ConversationNames } from './conversation-name.js';

/** The time that a new condensation may take. Earlier ones are applied without any limit. Unit: milliseconds. */
const condenserTimeoutMs = 2_000;
/** The number of conversations of which something is remembered beside their histories, which have a limit of their own. */
const most = 1_000;

/** Options of {@link Conversations}. */
export interface ConversationsOptions {
  /** Keeps condensations over a restart. It holds words of the conversations, in summaries. */
  readonly store: EventStore;
  /** The policy. @defaultValue `pricedCondenser()` of `@palimpsest/condensers` */
  readonly condenser?: Condenser | undefined;
  /** The clock. @defaultValue the system clock */
  readonly now?: (() => Date) | undefined;
}

/** The conversations behind one upstream. */
export class Conversations {
  readonly #store: EventStore;
  readonly #condenser: Condenser;
  readonly #now: (() => Date) | undefined;
  readonly #histories = new Map<ApiName, CondensedHistory<unknown>>();
  /** The one that was used last is the last. */
  readonly #known = new Map<string, Conversation>();

  constructor({ store, condenser = pricedCondenser(), now }: ConversationsOptions) {
    this.#store = store;
    this.#condenser = condenser;
    this.#now = now;
  }

  /** Returns the conversation of these names, a new one if none is known. */
  async of(api: Api, { id, log }: ConversationNames): Promise<Conversation> {
    const wasEdited = this.#known.has(id) || (await this.#isStored(log));
    const conversation = this.#known.get(id) ?? new Conversation(api, this.#historyOf(api), wasEdited);
    this.#known.delete(id);
    this.#known.set(id, conversation);
    const [oldest = ''] = this.#known.keys();
    if (this.#known.size > most) this.#known.delete(oldest);
    return conversation;
  }

  /** Returns true for a conversation that has sent a list before, here or before a restart. */
  async has({ id, log }: ConversationNames): Promise<boolean> {
    return this.#known.has(id) || this.#isStored(log);
  }

  /** The history of all conversations of an API: they share its memory. */
  #historyOf({ name, codec }: Api): CondensedHistory<unknown> {
    const history =
      this.#histories.get(name) ??
      condensedHistory({
        condenser: this.#condenser,
        codec,
        store: this.#store,
        condenserTimeoutMs,
        now: this.#now,
        // What no gateway condensed was sent as it is.
        unknownThinking: 'sent',
      });
    this.#histories.set(name, history);
    return history;
  }

  /** True also if the store cannot be read: then it may hold condensations. */
  async #isStored(log: string): Promise<boolean> {
    try {
      for await (const _ of this.#store.read(log)) return true;
      return false;
    } catch {
      return true;
    }
  }
}
