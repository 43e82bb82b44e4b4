import {
  AuthenticationError,
  ContentPolicyError,
  ContextWindowExceededError,
  InvalidRequestError,
  MalformedHistoryError,
  RateLimitError,
  ServiceUnavailableError,
} from '../errors.js';
import type { LLMError, LLMErrorOptions, OverflowKind } from '../errors.js';
import { field, readHttpFailure, textOf } from '../http-failure.js';
import { secretsOf } from '../secrets.js';
import type { Secrets } from '../secrets.js';

/** What looks like an overflow and is none. @see provider-protocol A.1, A.2 and section E.1 */
const notOverflow =
  /rate.?limit|per minute|too many tokens, please wait|maximum allowed number of output tokens|thinking budget/i;

/** The provider's own words, and those of the clouds that sell its models. @see provider-protocol A.8 and E.3 */
const overflowTexts =
  /prompt is too long|exceed context limit|exceeds the context window|input is too long for requested model/i;

/** @see provider-protocol A.2 to A.6 */
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
    'assistant message prefill',
    'prefilling assistant messages',
    'final assistant content',
    'final block in an assistant message',
    'invalid `?signature`?',
    'cannot be modified',
    'expected `?thinking`? or',
    'when thinking is disabled',
    'must define tools',
  ].join('|'),
  'i',
);

const policyTexts = /content filtering policy|usage polic(?:y|ies)/i;

/**
 * The error class for what the SDK threw. The order is that of section E: what is no overflow although it looks like one,
 * codes, words; then everything else by status.
 *
 * @see provider-protocol A.1, A.8 and E
 */
export function toLLMError(thrown: unknown, secrets: Secrets = secretsOf([])): LLMError {
  const failure = readHttpFailure(thrown);
  const { statusCode, requestId, retryAfterMs } = failure;
  const error = field(failure.body, 'error');
  const type = textOf(field(error, 'type')) ?? '';
  const said = textOf(field(error, 'message')) ?? failure.message;
  const message = secrets.redact(`anthropic${statusCode === undefined ? '' : ` (${statusCode})`}: ${said}`);
  const options: LLMErrorOptions = {
    provider: 'anthropic',
    statusCode,
    requestId,
    retryAfterMs,
    cause: secrets.redactError(thrown),
  };

  if (statusCode === undefined) return withoutStatus(failure.isConnection, said, message, options);
  if (statusCode === 402 || isSpendLimit(error)) return new RateLimitError(message, { ...options, kind: 'quota' });
  if (statusCode === 429) return new RateLimitError(message, { ...options, kind: 'rate' });
  if (type === 'request_too_large') return new ContextWindowExceededError(message, { ...options, kind: 'bytes' });
  if (!notOverflow.test(said) && overflowTexts.test(said)) {
    return new ContextWindowExceededError(message, { ...options, ...overflowNumbers(said) });
  }
  if (statusCode === 401 || statusCode === 403) return new AuthenticationError(message, options);
  if (policyTexts.test(said)) return new ContentPolicyError(message, options);
  if (malformedTexts.test(said)) return new MalformedHistoryError(message, options);
  if (statusCode === 408 || statusCode === 409 || statusCode >= 500)
    return new ServiceUnavailableError(message, options);
  return new InvalidRequestError(message, options);
}

function isSpendLimit(error: unknown): boolean {
  return field(field(error, 'details'), 'error_code') === 'enforced_spend_limit_reached';
}

function withoutStatus(isConnection: boolean, said: string, message: string, options: LLMErrorOptions): LLMError {
  if (isConnection) return new ServiceUnavailableError(message, options);
  // The client says so before it sends anything.
  if (/authentication method|api.?key|credentials/i.test(said)) return new AuthenticationError(message, options);
  return new InvalidRequestError(message, options);
}

/** The sizes that the words name. Where the input alone fits, the answer is what does not. */
function overflowNumbers(said: string): { kind: OverflowKind; inputTokens?: number; contextWindow?: number } {
  const together = /exceed context limit: (\d+) \+ \d+ > (\d+)/i.exec(said);
  const alone = /too long: (\d+) tokens > (\d+)/i.exec(said);
  const numbers = together ?? alone;
  if (numbers === null) return { kind: 'input' };
  const inputTokens = Number(numbers[1]);
  const contextWindow = Number(numbers[2]);
  const kind = together !== null && inputTokens < contextWindow ? 'input-and-output' : 'input';
  return { kind, inputTokens, contextWindow };
}
