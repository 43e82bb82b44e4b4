import type { RefusalFault } from '../faults.js';
import type { ServerResponse } from '../http.js';
import type { ServerError } from '../../rules/wire/violation.js';
import { streamFailure } from './stream.js';

/** Returns an error in Anthropic's shape. @see provider-rules A.1 */
export function errorResponse({ status, type, message, details, headers }: ServerError): ServerResponse {
  return {
    status,
    headers: { 'request-id': 'req_refused', ...headers },
    body: { type: 'error', error: { type, message, details }, request_id: 'req_refused' },
  };
}

/** Returns the error of a fault with the provider's text. @see provider-rules A.1 */
export function errorOfFault(fault: RefusalFault): ServerError {
  switch (fault.fault) {
    case 'rate-limit':
      return {
        status: 429,
        type: 'rate_limit_error',
        message: 'This request would exceed the rate limit for your organization.',
        headers: retryAfter(fault.retryAfterSeconds),
      };
    case 'spend-limit':
      return {
        status: 429,
        type: 'rate_limit_error',
        message: 'The spend limit of this organization is reached.',
        details: { error_code: 'enforced_spend_limit_reached' },
      };
    case 'overloaded':
      return {
        status: 529,
        type: 'overloaded_error',
        message: 'Overloaded',
        headers: retryAfter(fault.retryAfterSeconds),
      };
    case 'server-error':
      return failed;
    case 'too-many-bytes':
      return tooManyBytes;
  }
}

const failed: ServerError = { status: 500, type: 'api_error', message: 'Internal server error' };

/** The edge refuses the request before it reaches the API. @see provider-rules A22, A.8 */
export const tooManyBytes: ServerError = {
  status: 413,
  type: 'request_too_large',
  message: 'Request exceeds the maximum size',
};

/** The failure of the provider, after and before the start of the answer. */
export const failure = { event: streamFailure, response: errorResponse(failed) };

function retryAfter(seconds: number | undefined): Readonly<Record<string, string>> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) };
}

/** Returns the rate limit headers of every response: invented numbers, `reset` in RFC 3339. @see provider-rules A.1 */
export function rateLimitHeaders(now: Date, isLimited: boolean): Readonly<Record<string, string>> {
  const reset = new Date(now.getTime() + 60_000).toISOString();
  const limits = { requests: 4_000, tokens: 2_400_000, 'input-tokens': 2_000_000, 'output-tokens': 400_000 };
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, limit]) => [
      [`anthropic-ratelimit-${name}-limit`, String(limit)],
      [`anthropic-ratelimit-${name}-remaining`, String(isLimited ? 0 : limit)],
      [`anthropic-ratelimit-${name}-reset`, reset],
    ]),
  );
}
