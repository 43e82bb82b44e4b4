import { textPieces } from '../openai/text-pieces.js';
import { listIn, objectIn, textIn } from '../wire-json.js';
import type { JsonObject } from '../wire-json.js';

/** An answer without its envelope. */
export interface ChatCompletionAnswer {
  /** Undefined for a server that sends no id. */
  readonly id: string | undefined;
  readonly model: unknown;
  /** Unit: seconds since 1970. */
  readonly created: number;
  /** The assistant message in the form of Chat Completions. Missing fields are null. */
  readonly message: JsonObject;
  /** Null if the server sends none. No chunk of a stream then has one. */
  readonly finishReason: string | null;
  /** Null if the server counts nothing. A stream then has no usage chunk. */
  readonly usage: JsonObject | null;
}

/** The body of an unstreamed answer. */
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
 * The same answer as chunks: first the role, then the text, then the calls by index (id and name once), then the finish
 * reason. With `includeUsage`, every chunk has `usage: null`, and an additional chunk without choices has the usage. With
 * `usageUnasked`, the last chunk has the usage.
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

/** The fields that are split into chunks. Servers with a thinking field send it before the text. */
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
    // A server that parses arguments sends them in one piece.
    ...(objectIn(called.arguments) === undefined
      ? textPieces(textIn(called.arguments) ?? '', pieceSize)
      : [called.arguments]
    ).map((piece) => ({
      tool_calls: [{ index, function: { arguments: piece } }],
    })),
  ];
}
