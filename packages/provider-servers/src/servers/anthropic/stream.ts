import type { ServerSentEvent } from '../http.js';
import { inputText } from './answer.js';
import { listIn, objectIn, textIn } from '../../rules/wire/wire-json.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';

/** The size of a delta of text, thinking or JSON. Short, so that a reader must join deltas. Unit: characters. */
const pieceLength = 20;

/** The usage fields that `message_delta` repeats with their current values. */
const cumulative = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
  'output_tokens_details',
  'server_tool_use',
];

/**
 * Returns the events of a message in Anthropic's streaming format. The first is `message_start`, without content and with the
 * usage of the input. Then each block has a start, its deltas and a stop. `message_delta` has the stop reason and the cumulative
 * usage (not to be added to the first usage), and `message_stop` is the last. A `ping` follows the start and each block. Thinking
 * ends with one `signature_delta`. The start event of redacted thinking and of results of the provider's own tools contains the
 * whole block. An empty tool input is one empty delta. An input that is text is sent as it is. With `lastBlock: 'open'`, the last
 * block has no stop.
 *
 * @see provider-rules A.9
 */
export function messageStream(
  message: JsonObject,
  { lastBlock = 'closed' }: { readonly lastBlock?: 'closed' | 'open' | undefined } = {},
): readonly ServerSentEvent[] {
  const blocks = listIn(message.content);
  const usage = objectIn(message.usage) ?? {};
  const start = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  return [
    sse('message_start', { message: start }),
    sse('ping'),
    ...blocks.flatMap((block, index) =>
      blockEvents(objectIn(block) ?? {}, index, lastBlock === 'closed' || index < blocks.length - 1),
    ),
    sse('message_delta', {
      delta: { stop_reason: message.stop_reason, stop_sequence: message.stop_sequence },
      usage: Object.fromEntries(cumulative.map((name) => [name, usage[name] ?? null])),
    }),
    sse('message_stop'),
  ];
}

/** The error event of a failed stream. It is the last event. */
export const streamFailure: ServerSentEvent = sse('error', {
  error: { type: 'overloaded_error', message: 'Overloaded' },
});

function blockEvents(block: JsonObject, index: number, isClosed: boolean): readonly ServerSentEvent[] {
  const { empty, deltas } = parts(block);
  return [
    sse('content_block_start', { index, content_block: empty }),
    ...deltas.map((delta) => sse('content_block_delta', { index, delta })),
    ...(isClosed ? [sse('content_block_stop', { index }), sse('ping')] : []),
  ];
}

/** Returns a block as in its start event, and its deltas. */
function parts(block: JsonObject): { readonly empty: JsonObject; readonly deltas: readonly JsonObject[] } {
  switch (block.type) {
    case 'text': {
      const { citations, ...text } = block;
      return {
        empty: { ...text, text: '' },
        deltas: [
          ...pieces(textIn(block.text)).map((piece) => ({ type: 'text_delta', text: piece })),
          ...listIn(citations).map((citation) => ({ type: 'citations_delta', citation })),
        ],
      };
    }
    case 'thinking':
      return {
        empty: { ...block, thinking: '', signature: '' },
        deltas: [
          ...pieces(textIn(block.thinking)).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    case 'tool_use':
    case 'server_tool_use': {
      const json = inputText(block);
      return {
        empty: { ...block, input: {} },
        deltas: ['', ...(json === '{}' ? [] : pieces(json))].map((piece) => ({
          type: 'input_json_delta',
          partial_json: piece,
        })),
      };
    }
    default:
      return { empty: block, deltas: [] };
  }
}

/** Splits between code points, because a lone surrogate is not valid text. */
function pieces(text = ''): readonly string[] {
  const points = [...text];
  const found: string[] = [];
  for (let at = 0; at < points.length; at += pieceLength) found.push(points.slice(at, at + pieceLength).join(''));
  return found;
}

function sse(type: string, fields: JsonObject = {}): ServerSentEvent {
  return { event: type, data: { type, ...fields } };
}
