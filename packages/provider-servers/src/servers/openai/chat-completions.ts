import { checkChatCompletionsRequest } from '../../rules/chat-completions/request.js';
import { errorBody, errorOf, chatOverflow, withoutFront } from './errors.js';
import type { OpenAIEndpoint } from './exchange.js';
import { InvalidReplyError } from '../invalid-reply.js';
import { chatUsage, inputTokensOf, lookUp } from './usage.js';
import { objectIn, listIn, textIn } from '../../rules/wire/wire-json.js';
import { textPieces } from './exchange.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';

/** `/chat/completions`. @see provider-rules B */
export const chatCompletionsEndpoint: OpenAIEndpoint = {
  answer: async ({ body, contextWindow, pieceSize, profile, cache, responseId, reply: ask, refuse }) => {
    const violation = checkChatCompletionsRequest(body, profile?.name)[0];
    if (violation !== undefined) return refuse(errorOf(violation));
    const overflow = chatOverflow(body, { inputTokens: inputTokensOf(body), contextWindow, profile });
    if (overflow !== undefined && 'status' in overflow) return refuse(overflow);
    const read = overflow === undefined ? body : withoutFront(body, overflow.truncatedTo);
    const asked = await ask(read);
    if ('refused' in asked) return asked.refused;
    const { reply, index } = asked;
    if ('output' in reply)
      throw new InvalidReplyError('A reply with `output` is for /v1/responses; this endpoint sends `message`.');
    const message = profile?.decorate?.(reply.message, body) ?? reply.message;
    const answer = {
      id: responseId === undefined ? `chatcmpl-${index + 1}` : responseId(index),
      model: body.model,
      created: 0,
      message,
      finishReason:
        reply.finish_reason === undefined
          ? message.tool_calls === undefined
            ? 'stop'
            : 'tool_calls'
          : reply.finish_reason,
      usage: reply.usage === undefined ? chatUsage(read, lookUp(cache, read), message) : reply.usage,
    };
    const headers = { 'x-request-id': `req_${index + 1}` };
    if (body.stream !== true) return { status: 200, headers, body: chatCompletion(answer) };
    const usageUnasked = profile?.streamsUsageUnasked === true;
    const includeUsage = !usageUnasked && objectIn(body.stream_options)?.include_usage === true;
    const chunks = chatCompletionChunks(answer, { includeUsage, usageUnasked, pieceSize });
    return { status: 200, headers, events: [...chunks, '[DONE]'].map((data) => ({ data })) };
  },
  failureEvent: (error) => ({ data: errorBody(error) }),
};

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

/** Returns the body of an unstreamed answer. */
function chatCompletion({ id, model, created, message, finishReason, usage }: ChatCompletionAnswer): JsonObject {
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
 * Returns the same answer as chunks: first the role, then the text, then the calls by index (id and name once), then the finish
 * reason. With `includeUsage`, every chunk has `usage: null`, and an additional chunk without choices has the usage. With
 * `usageUnasked`, the last chunk has the usage.
 *
 * @see provider-rules B.6, B14
 */
function chatCompletionChunks(
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
