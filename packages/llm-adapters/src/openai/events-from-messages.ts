import type { Event } from '@palimpsest/events';
import type OpenAI from 'openai';
import { readChatMessage } from '../wire/chat-reader.js';
import { HistoryEvents } from '../wire/history-events.js';
import type { HistoryOptions } from '../wire/history-events.js';
import { assertArray, historyRules, notAFunction } from './history.js';

/** Options of {@link eventsFromMessages}. */
export interface EventsFromMessagesOptions extends HistoryOptions {
  /** The `tools` of the requests in which the messages were sent. @defaultValue none */
  readonly tools?: readonly OpenAI.Chat.ChatCompletionTool[];
}

/**
 * The events of a history that is held as messages of Chat Completions: the start for those who have no event log. What
 * `toChatCompletionsRequest({ messages: view.toMessages() })` makes of them is the same history, in the form that
 * {@link toChatCompletionsRequest} gives every history.
 *
 * - System and developer messages before anything else become one system prompt, with the tools; a later one becomes a message
 *   of the source `environment`, in the user's place where it stood.
 * - Words of the user become messages of the source `user`, `name` their sender.
 * - An assistant message with calls becomes one batch of actions, its words and thinking (`reasoning_content`, Gemini's
 *   signatures) on the first; one without becomes a message. A refusal and the transcript of audio are its words. A call of
 *   the old kind (`function_call`) gets an id, and the `function` message after it is its result.
 * - Calls as LangChain has them (`name` and `args`), and the parts of the AI SDK (`tool-call`, `tool-result`, `reasoning`,
 *   images with their data), mean the same.
 * - A tool message becomes the observation of the latest call with its id.
 *
 * The free text of a custom tool becomes `{"input": text}`, and a call whose arguments do not parse is marked
 * `executable: false`. Nothing is thrown away but empty text and blank text of the model. A result without a call becomes an
 * observation of {@link unknownToolName}, and a second result for a call a second observation: views leave both out, and say so.
 * A call without a result stays open. What has no place (unknown roles and parts, audio, files, OpenRouter's `reasoning_details`,
 * annotations, what is no message) becomes an event of the type {@link setAsideType} where it stood, which no model reads; for
 * audio and files there are words that say so.
 *
 * @throws {@link InvalidRequestError} when `messages` is no array.
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
  const history = new HistoryEvents(options, { ...historyRules, mergesAnswers: false });
  history.readTools(options.tools ?? [], notAFunction);
  messages.forEach((message: unknown, index) => history.read(readChatMessage(message), `messages.${index}`));
  return history.end();
}
