import type { EventId } from '@palimpsest/events';
import { isRecord, refusalKind, usageInAnyForm } from '@palimpsest/llm-adapters/wire';
import type { RefusalKind } from '@palimpsest/llm-adapters/wire';
import type { CondensedHistoryOptions, FitOptions, Fitted } from './fit.js';
import { ChangeWatch } from './log/change-watch.js';
import { HostConversation } from './host-conversation.js';
import type { Shared } from './host-conversation.js';
import { InvalidMessagesError, UnreadUsageError } from './errors.js';
import { modelOf, modelOptionsOf } from './model.js';
import { Openings } from './log/openings.js';
import { OwnEvents } from './log/own-events.js';
import type { OwnTools, ToolAnswer } from './own-tools.js';

const defaultMaxMemoryBytes = 256 * 1024 * 1024;

/** The parts that a fitted list was made of. */
interface FittedRequest {
  readonly messages: readonly unknown[];
  readonly options: FitOptions;
  /** The kinds of errors that this list is the answer to. */
  readonly answered?: readonly RefusalKind['type'][];
}

/** The conversations of a history that were used last. */
export class HostConversations {
  readonly #options: CondensedHistoryOptions<unknown>;
  readonly #shared: Shared;
  /** By name and opening. The one that was used last is the last. */
  readonly #conversations = new Map<string, HostConversation>();
  /** Of all conversations with a name. */
  readonly #own = new Map<string, OwnEvents>();
  readonly #openings: Openings;
  readonly #requests = new WeakMap<Fitted<unknown>, FittedRequest>();
  #unreadUsage: { readonly error: UnreadUsageError; isSaid: boolean } | undefined;

  constructor(options: CondensedHistoryOptions<unknown>, tools: OwnTools) {
    this.#options = options;
    this.#openings = new Openings(options.codec);
    this.#shared = { tools, changes: new ChangeWatch() };
  }

  async answerTo(
    toolCallId: string,
    messages: readonly unknown[],
    options: FitOptions,
  ): Promise<ToolAnswer | undefined> {
    if (!Array.isArray(messages)) throw new InvalidMessagesError(messages);
    return this.#conversation(messages, options).answerTo(toolCallId, [...(messages as readonly unknown[])], options);
  }

  async fit(given: readonly unknown[], options: FitOptions): Promise<Fitted<unknown>> {
    if (!Array.isArray(given)) throw new InvalidMessagesError(given);
    options.signal?.throwIfAborted();
    // The host may go on appending while a condenser works.
    const messages = [...(given as readonly unknown[])];
    const conversation = this.#conversation(messages, options);
    const fitted = this.#withUnreadUsage(await conversation.fit(messages, options));
    this.#requests.set(fitted, { messages, options });
    this.#giveUp(conversation);
    return fitted;
  }

  /** Undefined if another list would not help, or if this is already the second one for its kind of error. */
  async afterError(error: unknown, fitted: Fitted<unknown>): Promise<Fitted<unknown> | undefined> {
    const request = this.#requests.get(fitted);
    const kind = refusalKind(error);
    if (request === undefined || kind === undefined || request.answered?.includes(kind.type) === true) return undefined;
    const { messages, options, answered = [] } = request;
    const conversation = this.#conversation(messages, options);
    const again = await (kind.type === 'overflow'
      ? conversation.fitAfterOverflow(messages, options, this.#windowOf(kind, fitted, options))
      : conversation.fit(messages, options, { withoutThinking: true }));
    // What always stays may be too large by itself: nothing smaller is left to send.
    if (kind.type === 'overflow' && again.tokensAfter >= fitted.tokensAfter) return undefined;
    this.#requests.set(again, { messages, options, answered: [...answered, kind.type] });
    return again;
  }

  async used(reported: unknown, fitted: Fitted<unknown>): Promise<void> {
    const request = this.#requests.get(fitted);
    if (request === undefined || !isRecord(reported)) return;
    const usage = usageInAnyForm(reported);
    if (usage === undefined) {
      // A framework names the counts that its provider has not given.
      if (holdsNumber(reported)) this.#unreadUsage ??= { error: new UnreadUsageError(reported), isSaid: false };
      return;
    }
    await this.#conversation(request.messages, request.options).used(usage, fitted, request.options);
  }

  async revert(condensationId: EventId, fitted: Fitted<unknown>): Promise<boolean> {
    const request = this.#requests.get(fitted);
    if (request === undefined) return false;
    return this.#conversation(request.messages, request.options).revert(condensationId, fitted);
  }

  /** A form of usage that is not known is said once, by the next list that has no other problem. */
  #withUnreadUsage(fitted: Fitted<unknown>): Fitted<unknown> {
    const unread = this.#unreadUsage;
    if (unread === undefined || unread.isSaid || fitted.problem !== undefined) return fitted;
    unread.isSaid = true;
    return Object.assign(fitted, { problem: unread.error });
  }

  /** The window in the measure of the view. Without any size, what was sent did not fit. */
  #windowOf(
    { inputTokens, requestedTokens, contextWindow }: Extract<RefusalKind, { type: 'overflow' }>,
    fitted: Fitted<unknown>,
    { model }: FitOptions,
  ): number {
    const { now = () => new Date() } = this.#options;
    const window = contextWindow ?? modelOf(modelOptionsOf(this.#options, model), now()).contextWindow;
    const sent = fitted.tokensAfter;
    if (window === undefined) return sent;
    // Of what was not counted by the provider only its window is known.
    if (inputTokens !== undefined) return Math.min(sent, (window * sent) / inputTokens);
    // The answer takes the rest.
    if (requestedTokens !== undefined) return Math.min(sent, Math.max(window / 8, sent - (requestedTokens - window)));
    return Math.min(sent, window);
  }

  get memoryBytes(): number {
    return [...this.#conversations.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Those that begin alike share a name, and their own events, which differ in place. The model's first message tells them apart, so that they
   * neither wait for each other nor crowd each other out.
   */
  #conversation(messages: readonly unknown[], { conversationId }: FitOptions): HostConversation {
    const opening = this.#openings.of(messages);
    const name = conversationId ?? opening.name;
    const unanswered = `${name}\n${opening.start}`;
    const key = opening.answered === undefined ? unanswered : `${name}\nanswered ${opening.answered}`;
    const known = [key, unanswered].find((one) => this.#conversations.has(one)) ?? '';
    const conversation =
      this.#conversations.get(known) ?? new HostConversation(this.#ownOf(name), this.#options, this.#shared);
    this.#conversations.delete(known);
    this.#conversations.set(key, conversation);
    return conversation;
  }

  #ownOf(name: string): OwnEvents {
    const own = this.#own.get(name) ?? new OwnEvents(name, this.#options.store);
    this.#own.set(name, own);
    return own;
  }

  /** Gives up the conversations that were not used for longest, until the others fit into the memory. */
  #giveUp(inUse: HostConversation): void {
    let left = this.memoryBytes - (this.#options.maxMemoryBytes ?? defaultMaxMemoryBytes);
    for (const [key, conversation] of [...this.#conversations]) {
      if (left <= 0) break;
      if (conversation === inUse) continue;
      left -= conversation.bytes;
      this.#conversations.delete(key);
      const { name } = conversation;
      if (![...this.#conversations.values()].some((one) => one.name === name)) this.#own.delete(name);
    }
  }
}

function holdsNumber(value: object): boolean {
  return Object.values(value).some((one: unknown) =>
    isRecord(one) ? Object.values(one).some((inner) => typeof inner === 'number') : typeof one === 'number',
  );
}
