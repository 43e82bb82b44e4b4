import { usageSchema } from '@palimpsest/events';
import type { Usage } from '@palimpsest/events';
import { anthropicUsage, isRecord, openaiUsage, refusalKind } from '@palimpsest/llm-adapters/wire';
import type { RefusalKind } from '@palimpsest/llm-adapters/wire';
import { digestOf, messageDigest } from './digest.js';
import type { CondensedHistoryOptions, FitOptions, Fitted } from './fit.js';
import { ChangeWatch } from './change-watch.js';
import { Conversation } from './conversation.js';
import type { Shared } from './conversation.js';
import { InvalidMessagesError } from './errors.js';
import { modelOf } from './model.js';
import type { OwnTools, ToolAnswer } from './own-tools.js';

const defaultMaxConversations = 100;

/** What a fitted list was made of. */
interface FittedRequest {
  readonly messages: readonly unknown[];
  readonly options: FitOptions;
  /** The kinds of errors that this list is the answer to. */
  readonly answered?: readonly RefusalKind['type'][];
}

/** The conversations of a history that were used last. */
export class Conversations {
  readonly #options: CondensedHistoryOptions<unknown>;
  readonly #shared: Shared;
  /** The one that was used last is the last. */
  readonly #conversations = new Map<string, Conversation>();
  readonly #requests = new WeakMap<Fitted<unknown>, FittedRequest>();

  constructor(options: CondensedHistoryOptions<unknown>, tools: OwnTools) {
    this.#options = options;
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
    const fitted = await this.#conversation(messages, options).fit(messages, options);
    this.#requests.set(fitted, { messages, options });
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
      ? conversation.fitAfterOverflow(messages, options, this.#windowOf(kind, fitted))
      : conversation.fit(messages, options, { withoutThinking: true }));
    this.#requests.set(again, { messages, options, answered: [...answered, kind.type] });
    return again;
  }

  async used(reported: unknown, fitted: Fitted<unknown>): Promise<void> {
    const request = this.#requests.get(fitted);
    const usage = usageIn(reported);
    if (request === undefined || usage === undefined) return;
    await this.#conversation(request.messages, request.options).used(usage, fitted);
  }

  /** The window in the measure of the view. Without any size, what was sent did not fit. */
  #windowOf(
    { inputTokens, requestedTokens, contextWindow }: Extract<RefusalKind, { type: 'overflow' }>,
    fitted: Fitted<unknown>,
  ): number {
    const { now = () => new Date() } = this.#options;
    const window = contextWindow ?? modelOf(this.#options, now()).contextWindow;
    const sent = fitted.tokensAfter;
    if (window === undefined) return sent;
    // Of what was not counted by the provider only its window is known.
    if (inputTokens !== undefined) return Math.min(sent, (window * sent) / inputTokens);
    // The answer takes the rest.
    if (requestedTokens !== undefined) return Math.min(sent, Math.max(window / 8, sent - (requestedTokens - window)));
    return Math.min(sent, window);
  }

  #conversation(messages: readonly unknown[], { conversationId }: FitOptions): Conversation {
    const id = conversationId ?? this.#nameOf(messages);
    const known = this.#conversations.get(id);
    const conversation = known ?? new Conversation(id, this.#options, this.#shared);
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
    try {
      for (const message of messages) {
        const host = this.#options.codec.read(message);
        if (host.role === 'user') return `messages-${messageDigest(host)}`;
      }
    } catch {
      // The fit says that the codec has failed.
    }
    return `messages-${digestOf('')}`;
  }
}

/** Usage as a provider or one of our adapters reports it. */
function usageIn(reported: unknown): Usage | undefined {
  const parsed = usageSchema.safeParse(reported);
  if (parsed.success) return parsed.data;
  const isAnthropic = isRecord(reported) && 'cache_read_input_tokens' in reported;
  return (isAnthropic ? anthropicUsage(reported) : openaiUsage(reported))?.usage;
}
