import type OpenAI from 'openai';
import type { Delta } from '../../llm.js';
import { ServiceUnavailableError } from '../../errors.js';
import { field, textOf } from '../../wire/json-fields.js';
import { receivedArguments, receivedToolName } from '../../wire/pieces.js';
import { ErrorInAnswer, piecesOfStream } from '../error-body.js';

type Response = OpenAI.Responses.Response;
type Event = OpenAI.Responses.ResponseStreamEvent;

/**
 * Reads the events of an answer to their end and gives the response that the same answer would be without streaming,
 * calling `onDelta` with each piece, and `onActivity` for each event, including events without a piece. Encrypted
 * content is taken from completed items, never from announced ones.
 *
 * @throws {@link ServiceUnavailableError} when the stream ends before the answer does.
 * @throws ErrorInAnswer when the provider reports an error in the stream. The adapter maps it.
 * @see provider-rules C.2
 */
export async function responseOfEvents(
  events: AsyncIterable<Event>,
  onDelta: (delta: Delta) => void,
  nameOf: (name: string) => string = (name) => name,
  onActivity: () => void = () => undefined,
): Promise<Response> {
  const done: OpenAI.Responses.ResponseOutputItem[] = [];
  /** The index of an item among the answer's calls. */
  const calls = new Map<number, number>();
  /** The items of which pieces came. An item without pieces is passed on whole. */
  const heardItems = new Set<number>();
  const hear = (index: number, delta: Delta) => {
    heardItems.add(index);
    onDelta(delta);
  };

  const read = (event: Event): Response | undefined => {
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        hear(event.output_index, { type: 'text', text: event.delta });
        break;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        hear(event.output_index, { type: 'thinking', text: event.delta });
        break;
      case 'response.output_item.added':
        beginCall(event, calls, onDelta, nameOf);
        break;
      case 'response.function_call_arguments.delta':
        beginCall(event, calls, onDelta, nameOf);
        hear(event.output_index, {
          type: 'tool-call',
          index: calls.get(event.output_index) ?? 0,
          arguments: event.delta,
        });
        break;
      case 'response.output_item.done':
        done[event.output_index] = event.item;
        beginCall(event, calls, onDelta, nameOf);
        if (!heardItems.has(event.output_index)) for (const delta of wholeItem(event, calls)) onDelta(delta);
        break;
      case 'response.completed':
      case 'response.incomplete': {
        const { response } = event;
        // Some servers send the items only in separate events.
        const output = response.output.length > 0 ? response.output : done.filter((item) => item !== undefined);
        return { ...response, output };
      }
      case 'response.failed':
        throw new ErrorInAnswer({ ...(event.response.error ?? { message: 'the response failed' }) });
      case 'error':
        throw new ErrorInAnswer({ ...event });
      default:
      // Events without new content, and events of a newer API.
    }
    return undefined;
  };

  let response: Response | undefined;
  try {
    for await (const event of piecesOfStream(events, onActivity)) {
      response = read(event);
      if (response !== undefined) break;
    }
  } catch (thrown) {
    // A failure after the end of the answer, such as that of closing a lost connection, does not affect the answer.
    if (response === undefined) throw thrown;
  }
  if (response !== undefined) return response;
  throw new ServiceUnavailableError('openai: the stream ended before the answer did', { provider: 'openai' });
}

/** Passes on a call's id and name, once. */
function beginCall(
  event: { readonly output_index: number; readonly item?: unknown },
  calls: Map<number, number>,
  onDelta: (delta: Delta) => void,
  nameOf: (name: string) => string,
): void {
  const { output_index, item } = event;
  if (calls.has(output_index) || field(item, 'type') !== 'function_call') return;
  const index = calls.size;
  calls.set(output_index, index);
  const id = textOf(field(item, 'call_id')) ?? textOf(field(item, 'id'));
  const name = receivedToolName(field(item, 'name'), { fromWire: nameOf });
  onDelta({ type: 'tool-call', index, id, name, arguments: '' });
}

/** Returns the deltas of an item that came without pieces. */
function wholeItem(
  { output_index, item }: OpenAI.Responses.ResponseOutputItemDoneEvent,
  calls: ReadonlyMap<number, number>,
): readonly Delta[] {
  switch (item.type) {
    case 'message':
      return item.content.map((part) => ({ type: 'text', text: part.type === 'refusal' ? part.refusal : part.text }));
    case 'reasoning':
      return [...item.summary, ...(item.content ?? [])].map(({ text }) => ({ type: 'thinking', text }));
    case 'function_call':
      return [{ type: 'tool-call', index: calls.get(output_index) ?? 0, arguments: receivedArguments(item.arguments) }];
    default:
      return [];
  }
}
