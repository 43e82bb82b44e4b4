import { toolDefinition } from '@palimpsest/events';
import type { EventId } from '@palimpsest/events';
import { HostConversations } from './host-conversations.js';
import type { CondensedHistoryOptions, FitOptions, Fitted } from './fit.js';
import { assertFitOptions, assertHistoryOptions } from './options.js';
import type { ToolAnswer } from './own-tools.js';

/** A list of messages, kept inside a model's window: see {@link condensedHistory}. */
export interface CondensedHistory<Message, HostTool extends object = object> {
  /**
   * Returns the messages to send of a conversation, given all its messages. Call it before each request. The host's
   * list is never changed: go on appending to it.
   *
   * @throws {@link InvalidMessagesError} when the list is none, {@link InvalidHistoryOptionsError} for an option that does not exist.
   * @throws the signal's reason when the signal is aborted.
   */
  fit<One extends Message>(messages: readonly One[], options?: FitOptions): Promise<Fitted<One>>;
  /**
   * Fits a list and sends it. If the provider refuses it because it is too long, it is condensed harder and sent once more. If
   * the provider refuses thinking as bound to another conversation, it is sent once more without any. Other errors are the
   * call's.
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
   * Returns the messages to send after a provider has refused what `fit` returned, for middleware that owns the call.
   * Undefined if another list would not help: the error is not of this kind, or what was refused is already the answer
   * to an error of its kind.
   */
  afterError<One extends Message>(error: unknown, fitted: Fitted<One>): Promise<Fitted<One> | undefined>;
  /**
   * Records what was reported for the answer to a fitted list: condensers calibrate their estimates by it. Any form is read that a
   * provider or a framework gives (Messages, Chat Completions, Responses, Bedrock, Gemini, LangChain, the AI SDK, the Agents SDK). The next `fit` says
   * of a form that is not known that it is not, once. Undefined is ignored. @throws what the store throws.
   */
  used<One extends Message>(usage: unknown, fitted: Fitted<One>): Promise<void>;
  /**
   * Takes back a condensation, by its id in {@link Fitted.events}: the lists that go on from the fitted one are sent without it. Returns false if none
   * of this id is in force there. The next fit may condense again: pass `condense: false` where that is not wanted. @throws what the store throws.
   */
  revert<One extends Message>(condensationId: EventId, fitted: Fitted<One>): Promise<boolean>;
  /**
   * The tools of {@link CondensedHistoryOptions.historyTools}, in the form in which the host declares tools. Declare them from the first
   * request on, or not at all.
   */
  readonly tools: readonly HostTool[];
  /** The memory that the conversations take, as estimated from their messages. Unit: bytes. */
  readonly memoryBytes: number;
  /**
   * Runs a call of one of {@link CondensedHistory.tools}. The list ends with the model's answer that holds the call. The host adds the
   * answer to its list as it adds any result. Undefined if the call is not one of these tools'.
   *
   * @throws {@link InvalidMessagesError} when the list is none.
   */
  answerTo(toolCallId: string, messages: readonly Message[], options?: FitOptions): Promise<ToolAnswer | undefined>;
}

/**
 * Makes a history that condenses for agents that hold plain messages. The host's list stays the log of messages. The
 * history keeps only its own events, and applies them wherever a list begins as it did when they were made. So edits,
 * branches and restarts need no call.
 *
 * @throws {@link InvalidHistoryOptionsError} for an option that does not exist, and for a condenser, a codec or tools that are none
 *
 * @example
 * ```ts
 * const history = condensedHistory({ condenser, codec: chatMessages(), model: 'gpt-6.2-sol' });
 * const { messages } = await history.fit(conversation);
 * ```
 */
export function condensedHistory<Message, HostTool extends object = object>(
  options: CondensedHistoryOptions<Message, HostTool>,
): CondensedHistory<Message, HostTool> {
  assertHistoryOptions(options);
  const { condenser, historyTools, codec } = options;
  const own = historyTools === undefined ? { tools: [], condenser } : historyTools(condenser);
  const conversations = new HostConversations(options, own);
  const fit = async <One extends Message>(messages: readonly One[], fitOptions: FitOptions = {}) => {
    assertFitOptions(fitOptions);
    return (await conversations.fit(messages, fitOptions)) as Fitted<One>;
  };
  const afterError = async <One extends Message>(error: unknown, fitted: Fitted<One>) =>
    (await conversations.afterError(error, fitted)) as Fitted<One> | undefined;
  return {
    fit,
    afterError,
    get memoryBytes() {
      return conversations.memoryBytes;
    },
    used: (usage, fitted) => conversations.used(usage, fitted),
    revert: (condensationId, fitted) => conversations.revert(condensationId, fitted),
    tools: own.tools.map((tool) => codec.tool(toolDefinition(tool))),
    answerTo: async (toolCallId, messages, fitOptions = {}) => {
      assertFitOptions(fitOptions);
      return conversations.answerTo(toolCallId, messages, fitOptions);
    },
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
