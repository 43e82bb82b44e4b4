import type { Event } from '@palimpsest/events';
import { InvalidRequestError } from '../errors.js';
import { readAnthropicMessage, readAnthropicSystem } from './reader.js';
import { HistoryReader } from '../wire/history-reader.js';
import type { HistoryOptions, HistoryRules } from '../wire/history-reader.js';

/** A message as the Messages API takes it, of any version of the SDK, or an answer as the API gives it, which has an `id`. */
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
 * Converts a history of Messages API messages to events, for agents without an event log.
 * `toMessagesRequest(view.toMessages())` turns the events back into the same history, in the form that
 * {@link toMessagesRequest} gives every history.
 *
 * - `system` and `tools` become a system prompt. Of several blocks those up to the last with a mark for the cache, else the
 *   first, are its static part. The blocks of a part are joined by a blank line.
 * - Text of the user becomes messages of the source `user`; results become observations, `is_error` and images included.
 * - Neighbouring assistant messages are one answer, unless their `id`s differ. Its calls become the actions of one batch. The
 *   first action carries the answer's text and its thinking, in order and with signatures. Text after a call moves before the
 *   calls.
 * - A message of the role `system` becomes a message of the source `environment`, in the place of a user message.
 *
 * Only cache marks and blank text of the model are dropped. A result without a call becomes an observation of
 * {@link unknownToolName}, and a second result for a call becomes a second observation: views omit both and report it. A call
 * without a result stays open. Blocks, tools and messages without a neutral form (files, documents, the provider's own tools,
 * citations, what is malformed) become events of the type {@link setAsideType} at their original position, which no model reads.
 * The text of documents and search results is kept as text. Other blocks are replaced by a text that says what is missing. If
 * this changes the history, signed thinking after that point is set aside too, because the provider would refuse it.
 *
 * @throws {@link InvalidRequestError} when `messages` is not an array.
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
  const history = new HistoryReader(options, rules);
  const tools = history.readTools(options.tools ?? [], 'only the provider can run it');
  const { systemPrompt, dynamicContext, blocks } = readAnthropicSystem(options.system);
  // A body has at most two blocks of instructions.
  if (blocks > 0) history.addSystemPrompt(systemPrompt, dynamicContext, tools, blocks > 2);
  messages.forEach((message: unknown, index) => history.read(readAnthropicMessage(message), `messages.${index}`));
  return history.end();
}
