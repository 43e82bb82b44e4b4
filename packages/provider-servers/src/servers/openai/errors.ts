import type { RefusalFault } from '../faults.js';
import type { ServerResponse } from '../http.js';
import type { CompatProfile, Overflow } from '../../rules/compat/profile.js';
import type { OpenAIError, OpenAIViolation } from '../../rules/wire/violation.js';
import { paramOf } from '../../rules/wire/violation.js';
import type { JsonObject } from '../../rules/wire/wire-json.js';
import { openaiModel } from '../../rules/wire/openai-models.js';
import { tokensOf } from '../http.js';
import { listIn, objectIn, textIn } from '../../rules/wire/wire-json.js';

/** Returns the envelope of OpenAI's errors. @see provider-rules B.1 */
export function errorBody({ message, type, param, code }: OpenAIError): JsonObject {
  return { error: { message, type, param: param ?? null, code: code ?? null } };
}

/** Returns an error as a whole answer, or as a stream if the server sends errors with status 200 and the request streams. */
export function errorResponse(error: OpenAIError, profile?: CompatProfile, isStreamed = false): ServerResponse {
  const status = profile?.errorStatus?.(error) ?? error.status;
  const body = profile?.errorBody?.(error) ?? errorBody(error);
  const headers = { 'x-request-id': 'req_refused', ...error.headers };
  if (status !== 200 || !isStreamed) return { status, headers, body };
  return { status, headers, events: [{ data: body }, { data: '[DONE]' }] };
}

/** Returns the error for a violated rule. */
export function errorOf({ status = 400, path, message, code }: OpenAIViolation): OpenAIError {
  const details = code === undefined ? {} : { code };
  return { status, type: 'invalid_request_error', message, param: paramOf(path), ...details };
}

/** Returns the error of a fault with OpenAI's text. @see provider-rules B.1 */
export function faultError(fault: RefusalFault): OpenAIError {
  switch (fault.fault) {
    case 'rate-limit':
      return {
        status: 429,
        type: 'requests',
        code: 'rate_limit_exceeded',
        message: 'Rate limit reached for requests. Please try again later.',
        headers: {
          'x-ratelimit-limit-requests': '500',
          'x-ratelimit-remaining-requests': '0',
          'x-ratelimit-reset-requests': `${fault.retryAfterSeconds ?? 1}s`,
          ...retryAfter(fault.retryAfterSeconds),
        },
      };
    case 'spend-limit':
      return {
        status: 429,
        type: 'insufficient_quota',
        code: 'insufficient_quota',
        message: 'You exceeded your current quota, please check your plan and billing details.',
      };
    case 'overloaded':
      return {
        status: 503,
        type: 'server_error',
        message: 'The engine is currently overloaded, please try again later.',
        headers: retryAfter(fault.retryAfterSeconds),
      };
    case 'server-error':
      return { status: 500, type: 'server_error', message: serverFailure };
    case 'too-many-bytes':
      return { status: 413, type: 'invalid_request_error', message: 'Request entity too large.' };
  }
}

/** The error text of a provider failure, as an answer and inside a stream. */
export const serverFailure = 'The server had an error while processing your request. Sorry about that!';

function retryAfter(seconds: number | undefined): Readonly<Record<string, string>> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}

const refused = { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' };

/**
 * Returns the reaction to a request that is too large; undefined if it fits. For Chat Completions.
 *
 * @see provider-rules B.7, D, B13
 */
export function chatOverflow(
  body: JsonObject,
  {
    inputTokens,
    contextWindow,
    profile,
  }: {
    readonly inputTokens: number;
    readonly contextWindow: number | undefined;
    readonly profile: CompatProfile | undefined;
  },
): OpenAIError | { readonly truncatedTo: number } | undefined {
  const asked = body.max_completion_tokens ?? body.max_tokens;
  const maxOutputTokens = typeof asked === 'number' ? asked : undefined;
  if (contextWindow === undefined || inputTokens + (maxOutputTokens ?? 0) <= contextWindow) return undefined;
  const overflow: Overflow = { inputTokens, maxOutputTokens, contextWindow };
  return profile?.overflow?.(overflow) ?? openaiOverflow(overflow, textIn(body.model) ?? '');
}

function openaiOverflow({ inputTokens, maxOutputTokens = 0, contextWindow }: Overflow, model: string): OpenAIError {
  const [head, tail] =
    inputTokens <= contextWindow
      ? [
          `This model's maximum context length is ${contextWindow} tokens. However, you requested ` +
            `${inputTokens + maxOutputTokens} tokens (${inputTokens} in the messages, ${maxOutputTokens} in the completion).`,
          'Please reduce the length of the messages or completion.',
        ]
      : openaiModel(model).isReasoning
        ? [
            `Input tokens exceed the configured limit of ${contextWindow} tokens. Your messages resulted in ` +
              `${inputTokens} tokens.`,
            'Please reduce the length of the messages.',
          ]
        : [
            `This model's maximum context length is ${contextWindow} tokens. However, your messages resulted in ` +
              `${inputTokens} tokens.`,
            'Please reduce the length of the messages.',
          ];
  return { ...refused, param: 'messages', message: `${head} ${tail}` };
}

/** The Responses API has a single text for an overflow. @see provider-rules C11, C.3 */
export const responsesOverflow: OpenAIError & { readonly code: string } = {
  ...refused,
  param: 'input',
  message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
};

/** Returns a request truncated at the front: the instructions and the newest messages that fit. */
export function withoutFront(body: JsonObject, maxTokens: number): JsonObject {
  const messages = listIn(body.messages);
  const instructions = messages.filter((message) => objectIn(message)?.role === 'system');
  const others = messages.filter((message) => objectIn(message)?.role !== 'system');
  while (others.length > 1 && tokensOf([...instructions, ...others]) > maxTokens) others.shift();
  return { ...body, messages: [...instructions, ...others] };
}
