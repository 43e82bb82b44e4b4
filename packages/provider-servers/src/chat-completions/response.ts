import { textPieces } from '../openai/text-pieces.js';
import { listIn, objectIn, textIn } from '../wire-json.js';
import type { JsonObject } from '../wire-json.js';

/** An answer, before it is given its envelope. */
export interface ChatCompletionAnswer {
  /** Undefined for a server that sends none. */
  readonly id: string | undefined;
  readonly model: unknown;
  /** Unit: seconds since 1970. */
  readonly created: number;
  /** The assistant message, as Chat Completions writes it; what is missing is null. */
  readonly message: JsonObject;
  /** Null where the server gives none: then no chunk of a stream has one. */
  readonly finishReason: string | null;
  /** Null where nothing is counted: then a stream has no chunk for it. */
  readonly usage: JsonObject | null;
}

/** The body of an answer that is not streamed. */
export function chatCompletion({ id, model, created, message, finishReason, usage }: ChatCompletionAnswer): JsonObject {
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: null, ...message },
        finish_reason: finishReason,
        logprobs: null,
      },
    ],
    usage,
  };
}

/**
 * The same answer as chunks: the role first, then words, then calls by index with id and name once, then why it ended; with
 * `includeUsage`, every chunk says `usage: null` and one more without choices carries it; with `usageUnasked`, the last one does.
 *
 * @see provider-rules B.6, B14
 */
export function chatCompletionChunks(
  { id, model, created, message, finishReason, usage }: ChatCompletionAnswer,
  {
    includeUsage,
    usageUnasked = false,
    pieceSize,
  }: { readonly includeUsage: boolean; readonly usageUnasked?: boolean; readonly pieceSize: number },
): readonly JsonObject[] {
  const head = { id, object: 'chat.completion.chunk', created, model };
  const unknownYet = includeUsage ? { usage: null } : {};
  const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason, logprobs: null }],
    ...unknownYet,
  });
  return [
    ...deltas(message, pieceSize).map((delta) => chunk(delta)),
    { ...chunk({}, finishReason), ...(usageUnasked && usage !== null ? { usage } : {}) },
    ...(includeUsage && usage !== null ? [{ ...head, choices: [], usage }] : []),
  ];
}

/** The fields that come in pieces; servers with thinking of their own send it before the words. */
const textFields: readonly string[] = ['reasoning_content', 'reasoning', 'thinking', 'content', 'refusal'];

function deltas(message: JsonObject, pieceSize: number): readonly JsonObject[] {
  const { role: _role, tool_calls, ...rest } = message;
  const whole = Object.fromEntries(Object.entries(rest).filter(([key]) => !textFields.includes(key)));
  return [
    { role: 'assistant', content: '', ...whole },
    ...textFields.flatMap((field) =>
      textPieces(textIn(rest[field]) ?? '', pieceSize).map((piece) => ({ [field]: piece })),
    ),
    ...listIn(tool_calls).flatMap((call, index) => callDeltas(objectIn(call) ?? {}, index, pieceSize)),
  ];
}

function callDeltas(call: JsonObject, index: number, pieceSize: number): readonly JsonObject[] {
  const called = objectIn(call.function) ?? {};
  const first = { index, ...call, type: 'function', function: { name: called.name, arguments: '' } };
  return [
    { tool_calls: [first] },
    ...textPieces(textIn(called.arguments) ?? '', pieceSize).map((piece) => ({
      tool_calls: [{ index, function: { arguments: piece } }],
    })),
  ];
}
