import type { Event } from '@palimpsest/events';
import type OpenAI from 'openai';
import { HistoryEvents } from '../../wire/history-events.js';
import type { HistoryOptions } from '../../wire/history-events.js';
import { textPiece } from '../../wire/read-message.js';
import { readResponsesItem } from '../../wire/responses-reader.js';
import { assertArray, historyRules, notAFunction } from '../history.js';

/** Options of {@link eventsFromResponseItems}. */
export interface EventsFromResponseItemsOptions extends HistoryOptions {
  /** The `instructions` of the requests in which the items were sent. @defaultValue none */
  readonly instructions?: string;
  /** The `tools` of those requests. @defaultValue none */
  readonly tools?: readonly OpenAI.Responses.Tool[];
}

/**
 * The events of a history that is held as items of the Responses API, input and output in their order: the start for those who
 * have no event log. What `toResponsesRequest({ messages: view.toMessages() })` makes of them is the same history, in the form
 * that {@link toResponsesRequest} gives every history.
 *
 * - `instructions`, and system and developer messages before anything else, become one system prompt, with the tools; a later
 *   one becomes a message of the source `environment`, in the user's place where it stood.
 * - Items of the model with nothing between them are one answer: its calls become one batch of actions, with its words and its
 *   reasoning items, unchanged and at their position, on the first. A refusal is words.
 * - An output becomes the observation of the latest call with its `call_id`.
 *
 * Nothing is thrown away but blank text of the model, and the `phase` of words, which follows from what comes after them. A
 * result without a call becomes an observation of {@link unknownToolName}, and a second result for a call a second observation:
 * views leave both out, and say so. The text of a custom tool becomes `{"input": text}`. What has no place (the provider's own tools,
 * references to what it stores, its compactions, files, unknown items) becomes an event of the type {@link setAsideType} where
 * it stood, which no model reads.
 *
 * @throws {@link InvalidRequestError} when `items` is no array.
 */
export function eventsFromResponseItems(
  items: readonly (OpenAI.Responses.ResponseInputItem | OpenAI.Responses.ResponseOutputItem)[],
  options: EventsFromResponseItemsOptions = {},
): readonly Event[] {
  assertArray(items, 'eventsFromResponseItems');
  const history = new HistoryEvents(options, { ...historyRules, mergesAnswers: true });
  history.readTools(options.tools ?? [], notAFunction);
  const { instructions } = options;
  if (instructions !== undefined) history.read({ role: 'system', pieces: [textPiece(instructions)] }, 'instructions');
  items.forEach((item: unknown, index) => history.read(readResponsesItem(item), `input.${index}`));
  return history.end();
}
