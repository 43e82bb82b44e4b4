import type OpenAI from 'openai';
import type { Delta } from '../../llm.js';
import { ServiceUnavailableError } from '../../errors.js';
import type { SendCall } from '../../sdk-llm.js';
import { field, isRecord, textOf } from '../../wire/json-fields.js';
import { receivedArguments, unnamedToolName } from '../../wire/pieces.js';
import { openaiUsage } from '../../wire/reported-usage.js';
import { BrokenStream, errorInResponse, piecesOfStream } from '../error-body.js';
import { textsIn, thinkingIn } from './reader.js';

type ChatCompletion = OpenAI.Chat.ChatCompletion;
type Chunk = OpenAI.Chat.ChatCompletionChunk;
type CallPiece = NonNullable<Chunk['choices'][number]['delta']['tool_calls']>[number];

/** A call with the pieces that have arrived. */
interface GrowingCall {
  id: string | undefined;
  name: string;
  arguments: string;
  /** The arguments of a server that sends them parsed, in one piece. Absent if they came as text. */
  parsed?: unknown;
  /** Fields that only one provider sends. */
  extra: Record<string, unknown>;
}

/** The reports of a stream in addition to its pieces. */
interface StreamEnd {
  /**
   * True if the server has ended the stream explicitly. @defaultValue false: an answer is complete only with a finish
   * reason
   */
  readonly hasEnded?: () => boolean;
  /** Called with the usage that is reported before the end. */
  readonly onUsage?: SendCall['onUsage'];
}

/**
 * Reads a stream of chunks to its end and gives the response that the same answer would be without streaming, calling
 * `onDelta` with each piece, and `onActivity` for each chunk, including chunks without a piece. The tool names in the
 * deltas are the wire's, unless `nameOf` puts them back.
 *
 * Deviations of other servers from OpenAI are accepted: whole calls in one chunk, calls without an index, ids that are
 * repeated in every piece, arguments that are already parsed, no name, no usage, a first chunk without choices. Without
 * a finish reason, an answer is complete only if `hasEnded` says that the server ended the stream.
 *
 * @throws {@link ServiceUnavailableError} when the stream ends before the answer does.
 * @see provider-rules B.6
 */
export async function responseOfStream(
  chunks: AsyncIterable<Chunk>,
  onDelta: (delta: Delta) => void,
  nameOf: (name: string) => string = (name) => name,
  onActivity: () => void = () => undefined,
  { hasEnded = () => false, onUsage }: StreamEnd = {},
): Promise<ChatCompletion> {
  const texts = { content: '', refusal: '', reasoning_content: '' };
  const calls: GrowingCall[] = [];
  const placeOfIndex = new Map<number, number>();
  let head: Pick<ChatCompletion, 'id' | 'model' | 'created'> | undefined;
  let usage: Chunk['usage'];
  let finishReason: string | undefined;

  const read = (chunk: Chunk): void => {
    const error = errorInResponse(chunk);
    if (error !== undefined) throw error;
    head ??= { id: chunk.id, model: chunk.model, created: chunk.created };
    usage = usageOf(chunk) ?? usage;
    const counted = onUsage === undefined ? undefined : openaiUsage(usageOf(chunk));
    if (counted !== undefined) onUsage?.(counted.usage, counted);
    // Other servers do not always send what the types promise.
    const choice = (chunk as Partial<Chunk>).choices?.[0];
    if (choice === undefined) return;
    finishReason = textOf(choice.finish_reason) ?? finishReason;
    // Some servers send a whole message as the last chunk.
    const delta = choice.delta ?? field(choice, 'message');
    if (delta === undefined) return;
    const reasoning = thinkingIn(delta);
    if (reasoning !== undefined) {
      texts.reasoning_content += reasoning;
      onDelta({ type: 'thinking', text: reasoning });
    }
    for (const key of ['content', 'refusal'] as const) {
      const text = textsIn(delta[key]).join('');
      if (text === '') continue;
      texts[key] += text;
      onDelta({ type: 'text', text });
    }
    for (const piece of piecesOfCalls(delta)) {
      const place = placeOfPiece(calls, placeOfIndex, piece);
      onDelta(grown((calls[place] ??= { id: undefined, name: '', arguments: '', extra: {} }), place, piece, nameOf));
    }
  };
  try {
    for await (const chunk of piecesOfStream(chunks, onActivity)) read(chunk);
  } catch (thrown) {
    // A failure after the end of the answer does not affect the answer.
    if (!(thrown instanceof BrokenStream) || (finishReason === undefined && !hasEnded())) throw thrown;
  }
  const hasAnswer = calls.length > 0 || Object.values(texts).some((text) => text !== '');
  if (finishReason === undefined && hasAnswer && hasEnded()) finishReason = calls.length > 0 ? 'tool_calls' : 'stop';
  if (head === undefined || finishReason === undefined) {
    throw new ServiceUnavailableError('openai: the stream ended before the answer did', { provider: 'openai' });
  }
  for (const [index, { id, name }] of calls.entries()) {
    if (name !== '') continue;
    const given = id === undefined ? {} : { id };
    onDelta({ type: 'tool-call', index, ...given, name: unnamedToolName, arguments: '' });
  }
  return completion(head, { texts, calls, finishReason, usage });
}

/** Other servers do not always send what the types promise. */
function piecesOfCalls(delta: unknown): readonly CallPiece[] {
  const calls = field(delta, 'tool_calls');
  return Array.isArray(calls) ? (calls as readonly unknown[]).filter(isCallPiece) : [];
}

function isCallPiece(piece: unknown): piece is CallPiece {
  return typeof piece === 'object' && piece !== null;
}

/** Adds a piece to the call that it belongs to. Its id and name are in the delta once, with the first piece that names it. */
function grown(call: GrowingCall, index: number, piece: CallPiece, nameOf: (name: string) => string): Delta {
  const begins = call.name === '';
  call.id ??= textOf(piece.id);
  const name = textOf(piece.function?.name) ?? '';
  if (begins && name.trim() !== '') call.name = name;
  const given: unknown = piece.function?.arguments;
  const text = argumentsText(given);
  if (call.arguments === '' && isRecord(given)) call.parsed = given;
  else if (text !== '') delete call.parsed;
  call.arguments += text;
  const { index: _index, id: _id, function: _function, type: _type, ...extra } = piece;
  Object.assign(call.extra, extra);
  const names = begins && call.name !== '';
  return {
    type: 'tool-call',
    index,
    ...(names && call.id !== undefined ? { id: call.id } : {}),
    ...(names ? { name: nameOf(call.name) } : {}),
    arguments: text,
  };
}

/**
 * Finds the call of a piece by its index, or without an index by its id. Otherwise the piece continues the last call, unless it
 * has its own id or name. A known index with another id is a new call: some servers send index 0 with every whole call.
 */
function placeOfPiece(calls: readonly GrowingCall[], placeOfIndex: Map<number, number>, piece: CallPiece): number {
  const id = textOf(piece.id);
  const index: unknown = piece.index;
  if (typeof index === 'number') {
    const known = placeOfIndex.get(index);
    const knownId = known === undefined ? undefined : calls[known]?.id;
    const isOther = known === undefined || (id !== undefined && knownId !== undefined && id !== knownId);
    const place = isOther ? calls.length : known;
    placeOfIndex.set(index, place);
    return place;
  }
  const known = id === undefined ? -1 : calls.findIndex((call) => call.id === id);
  if (known >= 0) return known;
  const begins = id !== undefined || textOf(piece.function?.name) !== undefined;
  return begins ? calls.length : Math.max(0, calls.length - 1);
}

/** Returns the text of a piece of arguments. A piece without arguments adds nothing. */
function argumentsText(value: unknown): string {
  return value === undefined || value === null ? '' : receivedArguments(value);
}

/** Some servers report usage in every chunk, one of them in the choice. */
function usageOf(chunk: Chunk): Chunk['usage'] {
  const usage = chunk.usage ?? field((chunk as Partial<Chunk>).choices?.[0], 'usage');
  return typeof usage === 'object' && usage !== null ? (usage as Chunk['usage']) : undefined;
}

function completion(
  head: Pick<ChatCompletion, 'id' | 'model' | 'created'>,
  end: {
    readonly texts: { readonly content: string; readonly refusal: string; readonly reasoning_content: string };
    readonly calls: readonly GrowingCall[];
    readonly finishReason: string;
    readonly usage: Chunk['usage'];
  },
): ChatCompletion {
  const { texts, calls, finishReason, usage } = end;
  return {
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: finishReason as ChatCompletion['choices'][number]['finish_reason'],
        logprobs: null,
        message: {
          role: 'assistant',
          content: texts.content === '' ? null : texts.content,
          refusal: texts.refusal === '' ? null : texts.refusal,
          ...(texts.reasoning_content === '' ? {} : { reasoning_content: texts.reasoning_content }),
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map((call) => ({
                  ...call.extra,
                  id: call.id ?? '',
                  type: 'function' as const,
                  // The type promises text; the reader takes both.
                  function: { name: call.name, arguments: (call.parsed ?? call.arguments) as string },
                })),
              }),
        },
      },
    ],
    ...(usage === undefined || usage === null ? {} : { usage }),
  };
}

type Fetch = typeof globalThis.fetch;

/**
 * Distinguishes streams that the server ended from streams that were cut: the SDK's iteration ends in the same way for
 * both.
 */
interface DoneMarkers {
  /** Returns a `fetch` that watches its streams. */
  watching(fetch: Fetch): Fetch;
  /** Returns true if the text read from a stream so far ends with `data: [DONE]`. */
  hasEnded(response: Response): boolean;
}

/** The line with which a server ends a complete stream. @see provider-rules B.6 */
const doneAtEnd = /(?:^|[\r\n])data:\s*\[DONE\]\s*$/;

/** Longer than the line and the blank lines around it. Unit: characters. */
const keptCharacters = 64;

/** Returns a watch before its first stream. */
export function doneMarkers(): DoneMarkers {
  const ends = new WeakMap<Response, () => string>();
  return {
    watching: (fetch) => async (input, init) => {
      const response = await fetch(input, init);
      const { body, headers, status, statusText } = response;
      if (body === null || headers.get('content-type')?.includes('text/event-stream') !== true) return response;
      const { stream, end } = withEnd(body);
      const watched = new Response(stream, { status, statusText, headers });
      ends.set(watched, end);
      return watched;
    },
    hasEnded: (response) => doneAtEnd.test(ends.get(response)?.() ?? ''),
  };
}

/** Passes the bytes through and records the last characters. */
function withEnd(body: ReadableStream<Uint8Array>) {
  // Each byte is read as one character: the line is ASCII, and no bytes of a multi-byte character look like ASCII.
  const decoder = new TextDecoder('latin1');
  let last = '';
  const stream = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        last = (last + decoder.decode(bytes.subarray(-keptCharacters))).slice(-keptCharacters);
        controller.enqueue(bytes);
      },
    }),
  );
  return { stream, end: () => last };
}
