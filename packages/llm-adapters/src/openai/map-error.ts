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

/**
 * What looks like an overflow and is none: limits per minute, an answer longer than the model gives, a string or a list
 * that is too long.
 *
 * @see provider-protocol section E.1
 */
const notOverflow =
  /rate.?limit|too many requests|tokens per min|\bTPM\b|per minute|too many tokens, please wait|max_tokens is too large|maximum allowed number of output tokens|string too long|array too long|thinking budget/i;

/** @see provider-protocol section E.2 */
const overflowCodes: readonly string[] = ['context_length_exceeded', 'exceed_context_size_error'];

/** OpenAI's own words and those of the servers that speak its protocol. @see provider-protocol sections D and E.3 */
const overflowTexts: readonly RegExp[] = [
  /maximum context length/i,
  /exceeds? the context window/i,
  /input tokens exceed the configured limit/i,
  /input token count.*exceeds the maximum/is,
  /maximum prompt length is/i,
  /reduce the length of the messages/i,
  /exceeds? the available context size/i,
  /context length is only/i,
  /greater than the context length/i,
  /when context the overflows/i,
  /longer than the model's context length/i,
  /too large for model with/i,
  /exceeded model token limit/i,
  /context window exceeds limit/i,
  /input is too long for requested model/i,
  /range of input length should be/i,
  /prompt (?:is )?too long/i,
  /prompt exceeds max length/i,
  /exceeds the limit of \d+/i,
  /max_tokens must be at least 1, got -\d+/i,
];

/** @see provider-protocol B.2, B.3 and section D */
const malformedTexts =
  /must be followed by tool messages|must be a response to a prece+ding message|roles must alternate|unexpected role|expected last role|expected a string, got null|function call turn|function response turn|tool_call_ids? did not have response|tool call id was|reasoning_content .*must be passed back|system message must be at the beginning/i;

const policyCodes: readonly string[] = ['content_policy_violation', 'content_filter', 'invalid_prompt'];

/**
 * The error class for what the SDK threw. The order is that of section E: what is no overflow although it looks like one,
 * codes, words; then everything else by status.
 *
 * @see provider-protocol B.1, B.7, D and E
 */
export function toLLMError(thrown: unknown, secrets: Secrets = secretsOf([])): LLMError {
  const failure = readHttpFailure(thrown);
  const { statusCode, requestId, retryAfterMs } = failure;
  const code = textOf(field(failure.body, 'code')) ?? '';
  const type = textOf(field(failure.body, 'type')) ?? '';
  // A router puts the words of the server behind it aside.
  const behind = textOf(field(field(failure.body, 'metadata'), 'raw')) ?? '';
  const said = `${textOf(field(failure.body, 'message')) ?? failure.message} ${behind}`.trim();
  const message = secrets.redact(`openai${statusCode === undefined ? '' : ` (${statusCode})`}: ${said}`);
  const options: LLMErrorOptions = {
    provider: 'openai',
    statusCode,
    requestId,
    retryAfterMs,
    cause: secrets.redactError(thrown),
  };

  if (statusCode === undefined) return withoutStatus(failure.isConnection, said, message, options);
  if (statusCode === 429 || statusCode === 402) return rateLimit(code, said, message, options);
  if (!notOverflow.test(said) && isOverflow([code, type], said)) {
    return new ContextWindowExceededError(message, { ...options, ...overflowNumbers(said) });
  }
  if (statusCode === 401) return new AuthenticationError(message, options);
  if (policyCodes.includes(code)) return new ContentPolicyError(message, options);
  if (statusCode === 403) return new AuthenticationError(message, options);
  if (malformedTexts.test(said)) return new MalformedHistoryError(message, options);
  if (statusCode === 408 || statusCode === 409 || statusCode >= 500)
    return new ServiceUnavailableError(message, options);
  return new InvalidRequestError(message, options);
}

/**
 * The error that a router sent with status 200 in place of an answer, in the form in which the SDK throws others.
 *
 * @see provider-protocol section D, OpenRouter
 */
export function errorInResponse(response: unknown): Error | undefined {
  const error = field(response, 'error');
  if (typeof error !== 'object' || error === null || field(response, 'choices') !== undefined) return undefined;
  const code = field(error, 'code');
  const status = typeof code === 'number' && code >= 400 && code < 600 ? code : 500;
  return Object.assign(new Error('an error in place of an answer'), { status, error });
}

function withoutStatus(isConnection: boolean, said: string, message: string, options: LLMErrorOptions): LLMError {
  if (isConnection) return new ServiceUnavailableError(message, options);
  // The client says so before it sends anything.
  if (/credentials|authentication method|api.?key/i.test(said)) return new AuthenticationError(message, options);
  return new InvalidRequestError(message, options);
}

function rateLimit(code: string, said: string, message: string, options: LLMErrorOptions): RateLimitError {
  if (options.statusCode === 402 || code === 'insufficient_quota') {
    return new RateLimitError(message, { ...options, kind: 'quota' });
  }
  const [, limit, requested] = /limit:? (\d+),? requested:? (\d+)/i.exec(said) ?? [];
  const isTooLarge = /request too large/i.test(said) && Number(requested) > Number(limit);
  return new RateLimitError(message, { ...options, kind: isTooLarge ? 'too-large' : 'rate' });
}

function isOverflow(codes: readonly string[], said: string): boolean {
  return codes.some((code) => overflowCodes.includes(code)) || overflowTexts.some((text) => text.test(said));
}

/** The sizes that the words name. Where the input alone fits, the answer is what does not. */
function overflowNumbers(said: string): { kind: OverflowKind; inputTokens?: number; contextWindow?: number } {
  const contextWindow = numberIn(
    said,
    /(?:maximum (?:context|prompt) length(?: is| of)?|context length is only|configured limit of|maximum number of tokens allowed|limit of) \(?(\d+)/i,
  );
  const messages = numberIn(
    said,
    /(\d+) (?:in the messages|of text input)|prompt contains (?:at least )?(\d+)|you passed (\d+) input|messages resulted in (\d+)|input token count \((\d+)\)|request contains (\d+)|prompt token count of (\d+)/i,
  );
  const functions = numberIn(said, /(\d+) in the functions/i) ?? 0;
  const output = numberIn(said, /(\d+) in the (?:completion|output)|requested (\d+) output tokens/i);
  const inputTokens = messages === undefined ? undefined : messages + functions;
  const answerIsTheCause =
    contextWindow !== undefined && inputTokens !== undefined && output !== undefined && inputTokens < contextWindow;
  return {
    kind: answerIsTheCause ? 'input-and-output' : 'input',
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  };
}

/** The first group of the pattern that matched. */
function numberIn(text: string, pattern: RegExp): number | undefined {
  const digits = pattern
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined);
  return digits === undefined ? undefined : Number(digits);
}
