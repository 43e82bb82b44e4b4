import { objectIn, listIn, textIn } from '../../rules/wire/wire-json.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';
import { textPieces } from './exchange.js';

/** An answer of the Responses API without its envelope. */
export interface ResponsesAnswer {
  /** Undefined for a server that sends no id. */
  readonly id: string | undefined;
  /** Unit: seconds since 1970. */
  readonly createdAt: number;
  /** The request. The answer repeats its settings. */
  readonly request: JsonObject;
  /** Complete items with ids. */
  readonly output: readonly JsonObject[];
  /** Null if the server counts nothing. */
  readonly usage: JsonObject | null;
  /** The reason of an incomplete answer. */
  readonly incomplete?: 'max_output_tokens' | 'content_filter' | undefined;
  /** The error of a failed answer. */
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
}

/** Returns the status of an answer, which is also the last part of the name of the last stream event. */
function endOf({ incomplete, failure }: ResponsesAnswer): 'completed' | 'incomplete' | 'failed' {
  if (failure !== undefined) return 'failed';
  return incomplete === undefined ? 'completed' : 'incomplete';
}

/** Returns the body of a complete answer. @see provider-rules C.2, C.3 */
export function responseObject(answer: ResponsesAnswer): JsonObject {
  return {
    ...emptyResponse(answer),
    status: endOf(answer),
    error: answer.failure ?? null,
    incomplete_details: answer.incomplete === undefined ? null : { reason: answer.incomplete },
    output: answer.output,
    usage: answer.failure === undefined ? answer.usage : null,
  };
}

/** Returns the body in the first events of a stream: no output and no usage yet. */
function emptyResponse({ id, createdAt, request }: ResponsesAnswer): JsonObject {
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    model: request.model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: null, summary: null, ...objectIn(request.reasoning) },
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: request.text ?? { format: { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    usage: null,
  };
}

/** An event of a Responses stream. The `event:` line of its frame repeats the type. */
export type ResponsesEvent = JsonObject & { readonly type: string; readonly sequence_number: number };

type Unnumbered = JsonObject & { readonly type: string };

/**
 * Returns the stream events of an answer, numbered from 0: created, in progress, then each item from added to done with one id,
 * then completed, incomplete or failed. A failed answer has an `error` event before the last event, because the provider sends
 * both.
 *
 * @see provider-rules C.2, C12
 */
export function responsesEvents(answer: ResponsesAnswer, pieceSize: number): readonly ResponsesEvent[] {
  const begun = emptyResponse(answer);
  const end = endOf(answer);
  const { failure } = answer;
  const events: readonly Unnumbered[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...answer.output.flatMap((item, index) => itemEvents(item, index, pieceSize)),
    ...(failure === undefined ? [] : [{ type: 'error', code: failure.code, message: failure.message, param: null }]),
    { type: `response.${end}`, response: responseObject(answer) },
  ];
  return numbered(events);
}

function numbered(events: readonly Unnumbered[]): readonly ResponsesEvent[] {
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

function itemEvents(item: JsonObject, output_index: number, pieceSize: number): readonly Unnumbered[] {
  const place = { item_id: item.id, output_index };
  return [
    { type: 'response.output_item.added', output_index, item: itemBegun(item) },
    ...middleOf(item, place, pieceSize),
    { type: 'response.output_item.done', output_index, item },
  ];
}

/**
 * Returns the item in its added event: id and name without content. Its encrypted content is present but not final: a client
 * must use the one of the done event (C.1).
 */
function itemBegun(item: JsonObject): JsonObject {
  const begun = { ...item, status: 'in_progress' };
  if (item.type === 'message') return { ...begun, content: [] };
  if (item.type === 'function_call') return { ...begun, arguments: '' };
  if (item.type === 'reasoning') {
    const { content: _content, status: _status, ...rest } = begun as JsonObject;
    const unfinished = textIn(item.encrypted_content)?.slice(0, 12);
    return { ...rest, summary: [], encrypted_content: unfinished };
  }
  return begun;
}

function middleOf(item: JsonObject, place: JsonObject, pieceSize: number): readonly Unnumbered[] {
  switch (item.type) {
    case 'message':
      return listIn(item.content).flatMap((part, content_index) =>
        partEvents(objectIn(part) ?? {}, { ...place, content_index }, pieceSize),
      );
    case 'function_call': {
      const text = textIn(item.arguments) ?? '';
      return [
        ...pieces('response.function_call_arguments.delta', text, place, pieceSize),
        { type: 'response.function_call_arguments.done', ...place, name: item.name, arguments: text },
      ];
    }
    case 'reasoning':
      return [
        ...listIn(item.summary).flatMap((part, summary_index) =>
          summaryEvents(objectIn(part) ?? {}, { ...place, summary_index }, pieceSize),
        ),
        ...listIn(item.content).flatMap((part, content_index) =>
          partEvents(objectIn(part) ?? {}, { ...place, content_index }, pieceSize),
        ),
      ];
    default:
      return [];
  }
}

/** The event name of the deltas of a content part, and the field that they form. */
const partNames: Readonly<Record<string, { readonly events: string; readonly field: string }>> = {
  output_text: { events: 'response.output_text', field: 'text' },
  reasoning_text: { events: 'response.reasoning_text', field: 'text' },
  refusal: { events: 'response.refusal', field: 'refusal' },
};

function partEvents(part: JsonObject, place: JsonObject, pieceSize: number): readonly Unnumbered[] {
  const names = partNames[textIn(part.type) ?? ''];
  if (names === undefined) {
    return [
      { type: 'response.content_part.added', ...place, part },
      { type: 'response.content_part.done', ...place, part },
    ];
  }
  const { events, field } = names;
  const text = textIn(part[field]) ?? '';
  return [
    { type: 'response.content_part.added', ...place, part: { ...part, [field]: '' } },
    ...pieces(`${events}.delta`, text, place, pieceSize),
    { type: `${events}.done`, ...place, [field]: text },
    { type: 'response.content_part.done', ...place, part },
  ];
}

function summaryEvents(part: JsonObject, place: JsonObject, pieceSize: number): readonly Unnumbered[] {
  const text = textIn(part.text) ?? '';
  return [
    { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
    ...pieces('response.reasoning_summary_text.delta', text, place, pieceSize),
    { type: 'response.reasoning_summary_text.done', ...place, text },
    { type: 'response.reasoning_summary_part.done', ...place, part },
  ];
}

function pieces(type: string, text: string, place: JsonObject, pieceSize: number): readonly Unnumbered[] {
  return textPieces(text, pieceSize).map((delta) => ({ type, ...place, delta }));
}
