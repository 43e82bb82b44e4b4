import { EventStoreError } from '@palimpsest/events';
import type { EventId } from '@palimpsest/events';
import { ChangedMessagesError, UnreadMessageError, UnreadUsageError } from '@palimpsest/messages';
import type { CondensedHistory, FitOptions, Fitted } from '@palimpsest/messages';
import type { Way } from '../receipts/receipt.js';
import type { Api } from './api.js';
import type { Orders } from './orders.js';

/** A list as it is sent. */
export interface Prepared {
  /** Undefined if nothing is known of the list. */
  readonly fitted: Fitted<unknown> | undefined;
  readonly way: Way;
  /** The messages to send. The client's own objects stand for themselves. */
  readonly messages: readonly unknown[];
  /** The failure, if there was one. */
  readonly problem?: Error | undefined;
}

/** Options of {@link Conversation.prepare}. */
export interface PrepareOptions extends FitOptions {
  readonly orders: Orders;
  /** Called when the condensation that {@link Orders.undo} names was taken back, or is not in force. */
  readonly undone: () => Promise<void>;
}

/** The number of failures that end condensation for a conversation. */
const mostFalls = 3;

/** One conversation behind the gateway: what is in force in it, and what has failed. */
export class Conversation {
  readonly #api: Api;
  readonly #history: CondensedHistory<unknown>;
  /** The answer whose calls were looked at last. */
  #answer: EventId | undefined;
  #falls = 0;
  #inForce: string | undefined;
  #wasEdited: boolean;
  #hasFallen = false;
  #isFirst = true;

  /** @param wasEdited - true if condensations of it may be stored */
  constructor(api: Api, history: CondensedHistory<unknown>, wasEdited: boolean) {
    this.#api = api;
    this.#history = history;
    this.#wasEdited = wasEdited;
  }

  /**
   * Returns a list as it is to be sent. If the condenser fails, earlier edits hold; if the list cannot be read, it goes as it is, without the
   * thinking that was made behind an edit. @throws the signal's reason when the client has gone
   */
  async prepare(list: readonly unknown[], options: PrepareOptions): Promise<Prepared> {
    const { orders, undone, ...asked } = options;
    const mayCondense = asked.condense !== false && !orders.isPaused && this.#falls < mostFalls;
    const fitOptions = { ...asked, condense: mayCondense };
    try {
      const lost = this.#isFirst && this.#wasEdited ? await this.#lostEdits(list, fitOptions) : undefined;
      if (lost !== undefined) return this.#prepared(list, lost);
      this.#isFirst = false;
      if (this.#hasFallen) await this.#stayOnOriginal(list, fitOptions);
      if (orders.undo !== undefined) {
        await this.#undo(list, fitOptions, orders.undo);
        await undone();
      }
      return this.#prepared(list, await this.#history.fit(list, fitOptions));
    } catch (error) {
      asked.signal?.throwIfAborted();
      this.#falls += 1;
      return this.#original(list, undefined, error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Returns what to send after a refusal. Undefined if another list would not help. */
  async afterError(error: unknown, list: readonly unknown[], fitted: Fitted<unknown>): Promise<Prepared | undefined> {
    const again = await this.#history.afterError(error, fitted);
    return again && this.#prepared(list, again);
  }

  /** Returns true if the edits in force are others than at the call before. */
  changesBeginning({ view }: Fitted<unknown>): boolean {
    const before = this.#inForce;
    this.#inForce = view.condensations.map(({ id }) => id).join();
    return before !== undefined && before !== this.#inForce;
  }

  /** Notes that the calls of an answer are looked at. Returns false if they were before. */
  looksAt(answer: EventId): boolean {
    const isNew = this.#answer !== answer;
    this.#answer = answer;
    return isNew;
  }

  /** Records what the provider counted. The client's next list waits until it is recorded. */
  used(usage: unknown, { fitted }: Prepared): void {
    if (fitted !== undefined && usage !== undefined) this.#history.used(usage, fitted).catch(() => undefined);
  }

  #prepared(list: readonly unknown[], fitted: Fitted<unknown>): Prepared {
    const { view, events, state, messages, problem } = fitted;
    if (problem !== undefined && !isNotice(problem)) this.#falls += 1;
    const isUnread = list.length > 0 && events.length === 0;
    if (isUnread || this.#hasLostEdits(fitted)) return this.#original(list, fitted, problem);
    this.#hasFallen = false;
    this.#wasEdited ||= view.condensations.length > 0;
    return { fitted, way: state, messages: state === 'untouched' ? list : messages, problem };
  }

  #original(list: readonly unknown[], fitted: Fitted<unknown> | undefined, problem: Error | undefined): Prepared {
    if (!this.#wasEdited) return { fitted, way: 'untouched', messages: list, problem };
    this.#hasFallen = true;
    return { fitted, way: 'original', messages: this.#withoutThinking(list), problem };
  }

  /** A store that cannot be read after a restart: no list of before is known, and none is made up in its place. */
  async #lostEdits(list: readonly unknown[], options: FitOptions): Promise<Fitted<unknown> | undefined> {
    const fitted = await this.#history.fit(list, { ...options, condense: false });
    return this.#hasLostEdits(fitted) ? fitted : undefined;
  }

  #hasLostEdits({ view, problem }: Fitted<unknown>): boolean {
    return this.#wasEdited && view.condensations.length === 0 && problem instanceof EventStoreError;
  }

  /** After the original was sent once, it is what the provider's cache holds: the policy decides anew from there. */
  async #stayOnOriginal(list: readonly unknown[], options: FitOptions): Promise<void> {
    const fitted = await this.#history.fit(list, { ...options, condense: false });
    for (const { id } of fitted.view.condensations) await this.#history.revert(id, fitted);
  }

  async #undo(list: readonly unknown[], options: FitOptions, id: string): Promise<void> {
    const fitted = await this.#history.fit(list, { ...options, condense: false });
    await this.#history.revert(id, fitted);
  }

  #withoutThinking(list: readonly unknown[]): readonly unknown[] {
    const { codec } = this.#api;
    return list.flatMap((message) => {
      try {
        return codec.changed(message, { thinking: 'left-out' }) ?? [];
      } catch {
        return [message];
      }
    });
  }
}

/** Returns true for a remark on a list: nothing has failed. */
function isNotice(problem: Error): boolean {
  return [ChangedMessagesError, UnreadMessageError, UnreadUsageError].some((kind) => problem instanceof kind);
}
