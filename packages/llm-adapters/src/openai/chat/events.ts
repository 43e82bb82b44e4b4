import type { Event } from '@palimpsest/events';
import type OpenAI from 'openai';
import { InvalidRequestError } from '../../errors.js';
import { HistoryReader } from '../../wire/history-reader.js';
import type { HistoryOptions, HistoryRules } from '../../wire/history-reader.js';
import { readChatMessage } from './reader.js';

/** Options of {@link eventsFromMessages}. */
export interface EventsFromMessagesOptions extends HistoryOptions {
  /** The `tools` of the requests in which the messages were sent. @defaultValue none */
  readonly tools?: readonly OpenAI.Chat.ChatCompletionTool[];
}

/**
 * Converts a history of Chat Completions messages to events, for agents without an event log.
 * `toChatCompletionsRequest({ messages: view.toMessages() })` turns the events back into the same history, in the form that
 * {@link toChatCompletionsRequest} gives every history.
 *
 * - Leading system and developer messages become one system prompt, with the tools. A later one becomes a message of the source
 *   `environment`, in the place of a user message, at its original position.
 * - User messages become messages of the source `user`, with `name` as the sender.
 * - An assistant message with calls becomes one batch of actions; the first carries its text and thinking (`reasoning_content`,
 *   Gemini's signatures). An assistant message without calls becomes a message. A refusal and the transcript of audio count as
 *   its text. A call of the old kind (`function_call`) gets an id, and the `function` message after it is its result.
 * - Calls in LangChain's form (`name` and `args`), and the parts of the AI SDK (`tool-call`, `tool-result`, `reasoning`, images
 *   with their data), mean the same.
 * - A tool message becomes the observation of the latest call with its id.
 *
 * The free text of a custom tool becomes `{"input": text}`, and a call whose arguments do not parse is marked
 * `executable: false`. Only empty text and blank text of the model are dropped. A result without a call becomes an observation of
 * {@link unknownToolName}, and a second result for a call becomes a second observation: views omit both and report it. A call
 * without a result stays open. Values without a neutral form (unknown roles and parts, audio, files, OpenRouter's
 * `reasoning_details`, annotations, values that are not messages) become events of the type {@link setAsideType} at their
 * original position, which no model reads. Audio and files are also replaced by a text that names them.
 *
 * @throws {@link InvalidRequestError} when `messages` is not an array.
 *
 * @example
 * ```ts
 * const log = eventsFromMessages(params.messages, { tools: params.tools });
 * const { messages } = toChatCompletionsRequest({ messages: View.fromEvents(log).toMessages() }, { model });
 * ```
 */
export function eventsFromMessages(
  messages: readonly (OpenAI.Chat.ChatCompletionMessageParam | { readonly role: string; readonly content?: unknown })[],
  options: EventsFromMessagesOptions = {},
): readonly Event[] {
  assertArray(messages, 'eventsFromMessages');
  const history = new HistoryReader(options, { ...historyRules, mergesAnswers: false });
  history.readTools(options.tools ?? [], notAFunction);
  messages.forEach((message: unknown, index) => history.read(readChatMessage(message), `messages.${index}`));
  return history.end();
}

/** The type of the events that keep values without a neutral form: `path`, `reason` and the original `value`. */
export const setAsideType = 'openai/set-aside';

/** The parts that both of OpenAI's APIs share. */
export const historyRules: Omit<HistoryRules, 'mergesAnswers'> = {
  setAsideType,
  startsWithInstructions: true,
  needsCallIds: false,
  bindsThinking: false,
};

/** The reason why a tool is set aside. */
export const notAFunction = 'not a function that a model can call';

/** @throws {@link InvalidRequestError} when the value is not an array. */
export function assertArray(value: unknown, what: string): asserts value is readonly unknown[] {
  if (Array.isArray(value)) return;
  throw new InvalidRequestError(`openai: ${what} takes an array, not ${typeof value}`, { provider: 'openai' });
}
