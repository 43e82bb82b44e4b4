import { toolDefinition } from '@palimpsest/events';
import type { Condensation, EventStore } from '@palimpsest/events';
import type { AttemptReport, Condenser, View } from '@palimpsest/view';
import type { Codec } from './codec.js';
import { Conversations } from './conversations.js';
import type { ModelOptions } from './model.js';
import { ownTools } from './own-tools.js';
import type { RelevanceOptions, ToolAnswer } from './own-tools.js';

/** Options of {@link condensedHistory}. */
export interface CondensedHistoryOptions<Message> extends ModelOptions {
  /** The policy: one of `@palimpsest/condensers`, or your own. */
  readonly condenser: Condenser;
  /** The kind of messages that the host holds: `chatMessages()`, `anthropicMessages()`, `responsesItems()`. */
  readonly codec: Codec<Message>;
  /**
   * Keeps our own events (condensations, reports, what was sent for each request), so that a restart goes on without asking a
   * summariser again. @defaultValue they live in the process, for the last {@link CondensedHistoryOptions.maxConversations}
   */
  readonly store?: EventStore | undefined;
  /** How many conversations are kept in memory; the one that was not used for longest is given up. @defaultValue 100 */
  readonly maxConversations?: number | undefined;
  /**
   * What is done with signed thinking of answers that this history has not seen being made, for a model that binds its thinking.
   * `left-out` is right after a restart without a store: such answers may have been made behind a condensation that
   * is not known any more. `sent` is right where the lists are known to come from requests that nobody condensed.
   * @defaultValue 'left-out'
   */
  readonly unknownThinking?: 'left-out' | 'sent' | undefined;
  /**
   * Lets the model say which results it no longer needs: results get a line by which it names them, from the first request on, and
   * {@link CondensedHistory.tools} holds the tool. On or off for a whole conversation. @defaultValue off
   */
  readonly relevance?: true | RelevanceOptions | undefined;
  /** The clock. @defaultValue the system clock */
  readonly now?: (() => Date) | undefined;
}

/** Options of {@link CondensedHistory.fit}. */
export interface FitOptions {
  /**
   * The conversation that the list belongs to: the name under which its events are stored. Lists with different names share nothing.
   * @defaultValue a name made of the user's first message
   */
  readonly conversationId?: string | undefined;
  /** The instructions that are sent beside the messages (`system`, `instructions`). @defaultValue none */
  readonly system?: unknown;
  /** The tools that are sent beside the messages. @defaultValue none */
  readonly tools?: readonly unknown[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What {@link CondensedHistory.fit} returns. */
export interface Fitted<Message> {
  /**
   * What to send: a new array. Messages that no condensation changed are the host's own objects; the others are copies, and
   * messages that hold a summary.
   */
  readonly messages: Message[];
  /** `untouched`: every message is the host's own, in its place. `condensed`: there is an edit in force. */
  readonly state: 'untouched' | 'condensed';
  /** The condensations that this call has made, in order: their `metadata` says why. */
  readonly condensations: readonly Condensation[];
  /** What the condenser reported in this call: what it tried, and why it did not act. */
  readonly reports: readonly AttemptReport[];
  /** Estimated size of the host's list and of what is sent. Unit: tokens. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The view of the model, for those who know events. */
  readonly view: View;
  /**
   * The condenser, or the store, failed. The messages are those of the condensations that were made before. What could not be
   * stored is stored with the next call. @defaultValue undefined: nothing failed
   */
  readonly problem?: Error | undefined;
}

/** A list of messages, kept inside a model's window: see {@link condensedHistory}. */
export interface CondensedHistory<Message> {
  /**
   * What to send of a conversation, given all its messages. Call it before each request. The host's list is never changed:
   * go on appending to it.
   *
   * @throws {@link InvalidMessagesError} when the list is none.
   * @throws the signal's reason when the signal is aborted.
   */
  fit<One extends Message>(messages: readonly One[], options?: FitOptions): Promise<Fitted<One>>;
  /**
   * Fits a list and sends it. If the provider refuses it because it is too long, it is condensed harder and sent once more; if the
   * provider refuses thinking as bound to another conversation, it is sent once more without any. Other errors are the call's.
   *
   * @throws what `call` throws, the second time or for another reason, and what {@link CondensedHistory.fit} throws.
   *
   * @example
   * ```ts
   * const answer = await history.withOverflow(conversation, (messages) => client.chat.completions.create({ model, messages }));
   * ```
   */
  withOverflow<One extends Message, Answer>(
    messages: readonly One[],
    call: (messages: One[], fitted: Fitted<One>) => Promise<Answer>,
    options?: FitOptions,
  ): Promise<Answer>;
  /**
   * What to send after a provider has refused what `fit` returned, for middleware that owns the call. Undefined if another list
   * would not help: the error is not of this kind, or what was refused is already the answer to an error of its kind.
   */
  afterError<One extends Message>(error: unknown, fitted: Fitted<One>): Promise<Fitted<One> | undefined>;
  /**
   * Records what the provider reports for the answer to a fitted list, in the form of any of the three APIs: condensers calibrate
   * their estimates by it. What holds no counts is ignored. @throws what the store throws.
   */
  used<One extends Message>(usage: unknown, fitted: Fitted<One>): Promise<void>;
  /**
   * The tools with which the model asks the history itself, in the form in which the host declares tools: `recall`, which returns
   * what is hidden, and with {@link CondensedHistoryOptions.relevance} `relevance_condenser`. Declare them from the first request on,
   * or not at all.
   */
  readonly tools: readonly object[];
  /**
   * Runs a call of one of {@link CondensedHistory.tools}. The list ends with the model's answer that holds the call. The host adds the
   * answer to its list as it adds any result. Undefined if the call is not one of these tools'.
   *
   * @throws {@link InvalidMessagesError} when the list is none.
   */
  answerTo(toolCallId: string, messages: readonly Message[], options?: FitOptions): Promise<ToolAnswer | undefined>;
}

/**
 * Condensation for agents that hold plain messages. The host's list stays the log of messages; the history keeps only its own
 * events, and applies them wherever a list begins as it did when they were made. So edits, branches and restarts need no call.
 *
 * @example
 * ```ts
 * const history = condensedHistory({ condenser, codec: chatMessages(), model: 'gpt-6.2-sol' });
 * const { messages } = await history.fit(conversation);
 * ```
 */
export function condensedHistory<Message>(options: CondensedHistoryOptions<Message>): CondensedHistory<Message> {
  const { condenser, relevance, codec } = options;
  const own = ownTools(condenser, relevance === true ? {} : relevance);
  const conversations = new Conversations(options, own);
  const fit = async <One extends Message>(messages: readonly One[], fitOptions: FitOptions = {}) =>
    (await conversations.fit(messages, fitOptions)) as Fitted<One>;
  const afterError = async <One extends Message>(error: unknown, fitted: Fitted<One>) =>
    (await conversations.afterError(error, fitted)) as Fitted<One> | undefined;
  return {
    fit,
    afterError,
    used: (usage, fitted) => conversations.used(usage, fitted),
    tools: own.tools.map((tool) => codec.tool(toolDefinition(tool))),
    answerTo: (toolCallId, messages, fitOptions = {}) => conversations.answerTo(toolCallId, messages, fitOptions),
    withOverflow: async (messages, call, fitOptions) => {
      let fitted = await fit(messages, fitOptions);
      for (;;) {
        try {
          return await call(fitted.messages, fitted);
        } catch (error) {
          const again = await afterError(error, fitted);
          if (again === undefined) throw error;
          fitted = again;
        }
      }
    },
  };
}
