import type { Event, ToolDefinition } from '@palimpsest/events';
import type OpenAI from 'openai';
import { field, textOf } from '../../http-failure.js';
import { toolFrom } from '../events-from-messages.js';
import { assertArray, contentParts, historyEvents } from '../history-events.js';
import type { HistoryEvents, HistoryOptions } from '../history-events.js';
import { messageOfItems } from './from-response.js';

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
 * Nothing is thrown away but empty text, and the `phase` of words, which follows from what comes after them. A result without a call becomes an observation of {@link unknownToolName}, and a
 * second result for a call a second observation: views leave both out, and say so. What has no place (the provider's own tools,
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
  const unusable: [path: string, tool: unknown][] = [];
  const tools = (options.tools ?? []).flatMap((tool: unknown, index): readonly ToolDefinition[] => {
    const definition = field(tool, 'type') === 'function' ? toolFrom(tool) : undefined;
    if (definition === undefined) unusable.push([`tools.${index}`, tool]);
    return definition === undefined ? [] : [definition];
  });
  const history = historyEvents(options, tools);
  for (const [path, tool] of unusable) history.setAside(path, 'not a function that a model can call', tool);
  if (options.instructions !== undefined) history.addInstructions([{ type: 'text', text: options.instructions }]);

  let answer: unknown[] = [];
  const endAnswer = () => {
    if (answer.length > 0)
      history.addAnswer(messageOfItems(answer, { fromWire: (name) => name }, history.newId).message);
    answer = [];
  };
  items.forEach((item: unknown, index) => {
    const path = `input.${index}`;
    if (isOfAnswer(item)) {
      answer.push(readable(item, path, history));
      return;
    }
    endAnswer();
    readInput(item, path, history);
  });
  endAnswer();
  return history.end();
}

const answerTypes: readonly unknown[] = ['reasoning', 'function_call', 'custom_tool_call'];

function isOfAnswer(item: unknown): boolean {
  return answerTypes.includes(field(item, 'type')) || (isMessage(item) && field(item, 'role') === 'assistant');
}

/** A message may leave its type out. */
function isMessage(item: unknown): boolean {
  const type = field(item, 'type');
  return type === 'message' || (type === undefined && field(item, 'role') !== undefined);
}

/** An assistant message of plain text, or without its type, as the provider would have delivered it. */
function readable(item: unknown, path: string, history: HistoryEvents): unknown {
  if (!isMessage(item)) return item;
  const content = contentParts(field(item, 'content'), path, history.setAside);
  return { type: 'message', content: content.map((part) => (part.type === 'text' ? part : { text: part.url })) };
}

function readInput(item: unknown, path: string, history: HistoryEvents): void {
  const type = field(item, 'type');
  if (isMessage(item)) {
    const role = field(item, 'role');
    const parts = () => contentParts(field(item, 'content'), path, history.setAside);
    if (role === 'user') history.addUser(parts());
    else if (role === 'system' || role === 'developer') history.addInstructions(parts());
    else history.setAside(path, `no message has the role '${String(role)}'`, item);
    return;
  }
  const callId = textOf(field(item, 'call_id'));
  if ((type === 'function_call_output' || type === 'custom_tool_call_output') && callId !== undefined) {
    const output = contentParts(field(item, 'output'), path, history.setAside);
    history.addResult(callId, output);
    return;
  }
  history.setAside(path, typeof type === 'string' ? `no place for an item of the type '${type}'` : 'not an item', item);
}
