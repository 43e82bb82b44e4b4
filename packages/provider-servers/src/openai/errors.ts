import type { RefusalFault } from '../provider-fault.js';
import type { ServerResponse } from '../provider-server.js';
import type { CompatProfile } from '../compat/profile.js';
import type { OpenAIError } from './openai-error.js';
import { paramOf } from './violation.js';
import type { OpenAIViolation } from './violation.js';
import type { JsonObject } from '../wire-json.js';

/** The envelope of OpenAI's errors. @see provider-rules B.1 */
export function errorBody({ message, type, param, code }: OpenAIError): JsonObject {
  return { error: { message, type, param: param ?? null, code: code ?? null } };
}

/** An error as a whole answer, or as a stream if the server sends errors with status 200 and the request streams. */
export function errorResponse(error: OpenAIError, profile?: CompatProfile, isStreamed = false): ServerResponse {
  const status = profile?.errorStatus?.(error) ?? error.status;
  const body = profile?.errorBody?.(error) ?? errorBody(error);
  const headers = { 'x-request-id': 'req_refused', ...error.headers };
  if (status !== 200 || !isStreamed) return { status, headers, body };
  return { status, headers, events: [{ data: body }, { data: '[DONE]' }] };
}

/** The error for a violated rule. */
export function errorOf({ status = 400, path, message, code }: OpenAIViolation): OpenAIError {
  const details = code === undefined ? {} : { code };
  return { status, type: 'invalid_request_error', message, param: paramOf(path), ...details };
}

/** The error of a fault with OpenAI's text. @see provider-rules B.1 */
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
