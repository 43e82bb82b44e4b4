import type { Event } from '@palimpsest/events';
import type OpenAI from 'openai';
import { HistoryReader } from '../../wire/history-reader.js';
import type { HistoryOptions } from '../../wire/history-reader.js';
import { textPiece } from '../../wire/pieces.js';
import { readResponsesItem } from './reader.js';
import { assertArray, historyRules, notAFunction } from '../chat/events.js';

/** Options of {@link eventsFromResponseItems}. */
export interface EventsFromResponseItemsOptions extends HistoryOptions {
  /** The `instructions` of the requests in which the items were sent. @defaultValue none */
  readonly instructions?: string;
  /** The `tools` of those requests. @defaultValue none */
  readonly tools?: readonly OpenAI.Responses.Tool[];
}

/**
 * Converts a history of Responses API items, input and output in order, to events, for agents without an event log.
 * `toResponsesRequest({ messages: view.toMessages() })` turns the events back into the same history, in the form that
 * {@link toResponsesRequest} gives every history.
 *
 * - `instructions` and leading system and developer messages become one system prompt, with the tools. A later one becomes a
 *   message of the source `environment`, in the place of a user message, at its original position.
 * - Neighbouring items of the model are one answer: its calls become one batch of actions. The first action carries the
 *   answer's text and its reasoning items, unchanged and at their position. A refusal counts as text.
 * - An output becomes the observation of the latest call with its `call_id`.
 *
 * Only blank text of the model and the `phase` of texts are dropped; the `phase` follows from the calls. A result without a
 * call becomes an observation of {@link unknownToolName}, and a second result for a call becomes a second observation: views
 * omit both and report it. The text of a custom tool becomes `{"input": text}`. Values without a neutral form (the provider's
 * own tools, references to stored items, compactions, files, unknown items) become events of the type {@link setAsideType} at
 * their original position, which no model reads.
 *
 * @throws {@link InvalidRequestError} when `items` is not an array.
 */
export function eventsFromResponseItems(
  items: readonly (OpenAI.Responses.ResponseInputItem | OpenAI.Responses.ResponseOutputItem)[],
  options: EventsFromResponseItemsOptions = {},
): readonly Event[] {
  assertArray(items, 'eventsFromResponseItems');
  const history = new HistoryReader(options, { ...historyRules, mergesAnswers: true });
  history.readTools(options.tools ?? [], notAFunction);
  const { instructions } = options;
  if (instructions !== undefined) history.read({ role: 'system', pieces: [textPiece(instructions)] }, 'instructions');
  items.forEach((item: unknown, index) => history.read(readResponsesItem(item), `input.${index}`));
  return history.end();
}
