import {
  AuthenticationError,
  ContentPolicyError,
  ContextWindowExceededError,
  InvalidRequestError,
  MalformedHistoryError,
  RateLimitError,
  ServiceUnavailableError,
} from '../errors.js';
import type { LLMError, LLMErrorOptions } from '../errors.js';
import { readHttpFailure } from '../http-failure.js';
import { classifyOverflow, isSpent, rateLimitKind } from '../overflow.js';
import { secretsOf } from '../secrets.js';
import type { Secrets } from '../secrets.js';
import { field, textOf } from '../wire/json-fields.js';

/** Errors about thinking that the provider refuses, and the advice for each. @see provider-rules A.5, A.6 */
const thinkingAdvice: readonly (readonly [RegExp, string])[] = [
  [
    /bound to a different conversation/i,
    'Thinking is bound to the system prompt, the tools and every message before it, and one of them has changed: render the ' +
      "view with thinking 'prefix-bound', or send no thinking (thinking 'none').",
  ],
  [
    /cannot be modified/i,
    'The thinking of the newest answer goes back whole, in its order and unchanged, or not at all.',
  ],
  [
    /invalid `?signature`?/i,
    "This thinking was altered or was made elsewhere: send it as it came, or send no thinking (thinking 'none').",
  ],
  [
    /expected `?thinking`? or/i,
    'A model with a thinking budget wants the thinking of its newest calls back: render the view with thinking ' +
      "'latest-turn', or turn thinking off.",
  ],
];

/** @see provider-rules A.2 to A.6 */
const malformedTexts = new RegExp(
  [
    '`?tool_use`? ids',
    'unexpected `?tool_use_id`?',
    'must have a single result',
    'tool_use\\.(?:id|input|name)',
    'content blocks must',
    'non-empty content',
    'content cannot be empty',
    'at least one message',
    'first message must',
    'roles must alternate',
    "role 'system'",
    'assistant message prefill',
    'prefilling assistant messages',
    'final assistant content',
    'final block in an assistant message',
    'when thinking is disabled',
    'must define tools',
    ...thinkingAdvice.map(([pattern]) => pattern.source),
  ].join('|'),
  'i',
);

const policyTexts = /content filtering policy|usage polic(?:y|ies)/i;

/** The status that corresponds to an error inside a stream with status 200. @see provider-rules A.1, A.9 */
const statusOfType: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['conflict_error', 409],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/**
 * Maps an error of the SDK to our error class, including an error inside a stream or in place of an answer. If thinking was
 * refused, the message says what to do.
 *
 * @see provider-rules A.1, A.5, A.6, A.8, A.9 and E
 */
export function toLLMError(thrown: unknown, secrets: Secrets = secretsOf([])): LLMError {
  const failure = readHttpFailure(thrown);
  const { body, requestId, retryAfterMs } = failure;
  const error = field(body, 'error');
  const type = textOf(field(error, 'type')) ?? '';
  const errorCode = textOf(field(field(error, 'details'), 'error_code'));
  const said = textOf(field(error, 'message')) ?? textOf(body) ?? failure.message;
  // An error inside a stream or a 200 response has no status of its own.
  const isInAnswer = failure.statusCode === undefined && body !== undefined;
  const status = isInAnswer ? (statusOfType.get(type) ?? 500) : failure.statusCode;
  const statusCode = isInAnswer ? 200 : failure.statusCode;
  const message = secrets.redact(`anthropic${statusCode === undefined ? '' : ` (${statusCode})`}: ${withAdvice(said)}`);
  const options: LLMErrorOptions = {
    provider: 'anthropic',
    statusCode,
    requestId,
    retryAfterMs,
    refusesRetry: failure.shouldRetry === false,
    cause: thrown instanceof BrokenStreamError ? secrets.redactError(thrown.cause) : secrets.redactError(thrown),
  };

  if (status === undefined) return withoutStatus(thrown, failure.isConnection, said, message, options);
  const refusal = { statusCode: status, codes: [type, errorCode], text: said, body: error };
  const overflow = classifyOverflow(refusal);
  if (overflow !== undefined) return new ContextWindowExceededError(message, { ...options, ...overflow });
  if (status === 402 || status === 429)
    return new RateLimitError(message, { ...options, kind: rateLimitKind(refusal) });
  if (status === 401 || status === 403) return new AuthenticationError(message, options);
  if (isSpent(refusal)) return new RateLimitError(message, { ...options, kind: 'quota' });
  if (policyTexts.test(said)) return new ContentPolicyError(message, options);
  if (status < 500 && malformedTexts.test(said)) return new MalformedHistoryError(message, options);
  if (status === 408 || status === 409 || status >= 500 || failure.shouldRetry === true)
    return new ServiceUnavailableError(message, options);
  return new InvalidRequestError(message, options);
}

function withAdvice(said: string): string {
  const advice = thinkingAdvice.find(([pattern]) => pattern.test(said));
  return advice === undefined ? said : `${said} ${advice[1]}`;
}

function withoutStatus(
  thrown: unknown,
  isConnection: boolean,
  said: string,
  message: string,
  options: LLMErrorOptions,
): LLMError {
  if (isConnection || thrown instanceof BrokenStreamError) return new ServiceUnavailableError(message, options);
  // The client throws this error before it sends a request.
  if (/authentication method|api.?key|credentials/i.test(said)) return new AuthenticationError(message, options);
  return new InvalidRequestError(message, options);
}

/** A streamed answer that ended incorrectly: it was cut, or it is not in the provider's form. */
export class BrokenStreamError extends Error {
  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`the answer broke off while it was streamed (${why})`, { cause });
    this.name = 'BrokenStreamError';
  }
}
