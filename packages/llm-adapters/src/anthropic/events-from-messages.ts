import type { Event } from '@palimpsest/events';
import { InvalidRequestError } from '../errors.js';
import { readAnthropicMessage, readAnthropicSystem } from '../wire/anthropic-reader.js';
import { HistoryEvents } from '../wire/history-events.js';
import type { HistoryOptions, HistoryRules } from '../wire/history-events.js';

/** A message as the Messages API takes it, of any version of the SDK; or an answer as the API gives it, which has an `id`. */
export interface HeldMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string }[];
  readonly id?: string;
}

/** Options of {@link eventsFromMessages}. */
export interface EventsFromMessagesOptions extends HistoryOptions {
  /** The `system` of the requests in which the messages were sent. @defaultValue no instructions */
  readonly system?: string | readonly { readonly text: string }[] | undefined;
  /** The `tools` of those requests. @defaultValue none */
  readonly tools?: readonly object[] | undefined;
}

/** The type of the events that keep values without a neutral form: `path`, `reason` and the original `value`. */
export const setAsideType = 'anthropic/set-aside';

const rules: HistoryRules = {
  setAsideType,
  mergesAnswers: true,
  startsWithInstructions: false,
  needsCallIds: true,
  bindsThinking: true,
};

/**
 * The events of a history that is held as messages of the Messages API: the start for those who have no event log. What
 * `toMessagesRequest(view.toMessages())` makes of them is the same history, in the form that {@link toMessagesRequest} gives
 * every history.
 *
 * - `system` and `tools` become a system prompt. Of several blocks those up to the last with a mark for the cache, else the
 *   first, are its static part; the blocks of a part are joined by a blank line.
 * - Words of the user become messages of the source `user`; results become observations, `is_error` and images included.
 * - Neighbouring messages of the model are one answer, unless they have two `id`s. Its calls become the actions of one batch,
 *   with its words and its thinking, in their order and with their signatures, on the first. Words after a call come before it.
 * - A message of the role `system` becomes one of the source `environment`, in the user's place.
 *
 * Nothing is thrown away but marks for the cache and blank text of the model. A result without a call becomes an observation
 * of {@link unknownToolName}, and a second result for a call a second observation: views leave both out, and say so. A call
 * without a result stays open. Blocks, tools and messages that have no place (files, documents, the provider's own tools,
 * citations, what is malformed) become events of the type {@link setAsideType} where they stood, which no model reads; of
 * documents and search results the text is kept as text, and for other blocks there are words that say what is missing. Where
 * the history has changed by that, signed thinking from there on is set aside too: the provider would not take it back.
 *
 * @throws {@link InvalidRequestError} when `messages` is no array.
 *
 * @example
 * ```ts
 * const log = eventsFromMessages(params.messages, { system: params.system, tools: params.tools });
 * const { messages } = toMessagesRequest({ messages: View.fromEvents(log).toMessages() }, { model });
 * ```
 */
export function eventsFromMessages(
  messages: readonly HeldMessage[],
  options: EventsFromMessagesOptions = {},
): readonly Event[] {
  if (!Array.isArray(messages)) {
    const message = `anthropic: eventsFromMessages takes an array of messages, not ${typeof messages}`;
    throw new InvalidRequestError(message, { provider: 'anthropic' });
  }
  const history = new HistoryEvents(options, rules);
  const tools = history.readTools(options.tools ?? [], 'only the provider can run it');
  const { systemPrompt, dynamicContext, blocks } = readAnthropicSystem(options.system);
  // A body has at most two blocks of instructions.
  if (blocks > 0 || tools.length > 0) history.addSystemPrompt(systemPrompt, dynamicContext, tools, blocks > 2);
  messages.forEach((message: unknown, index) => history.read(readAnthropicMessage(message), `messages.${index}`));
  return history.end();
}
