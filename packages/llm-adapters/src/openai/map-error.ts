import {
  AuthenticationError,
  ContentPolicyError,
  ContextWindowExceededError,
  InvalidRequestError,
  LLMError,
  MalformedHistoryError,
  RateLimitError,
  ServiceUnavailableError,
} from '../errors.js';
import type { LLMErrorOptions } from '../errors.js';
import { readHttpFailure } from '../http-failure.js';
import { classifyOverflow, isSpent, rateLimitKind } from '../overflow.js';
import { secretsOf } from '../secrets.js';
import type { Secrets } from '../secrets.js';
import { field, textOf } from '../wire/json-fields.js';
import { BrokenStream, ErrorInAnswer } from './error-body.js';
import type { ServerName } from './server-profile.js';

/** @see provider-rules B.2, B.3, C.1 and D */
const malformedTexts: readonly RegExp[] = [
  /must be followed by tool messages/i,
  /must be a response to a prece+ding message/i,
  /tool_call_ids? did not have response/i,
  /roles must alternate/i,
  /unexpected role/i,
  /expected last role/i,
  /tool call id was/i,
  /not the same number of function calls and responses/i,
  /system message must be at the beginning/i,
  /expected a string, got null/i,
  /'content' field must be a string/i,
  /function (?:call|response) turn comes/i,
  /number of function response parts/i,
  /missing a thought_signature/i,
  /reasoning_content\W.*must be passed back|missing reasoning_content|reasoning_content is missing/i,
  /without its required (?:following item|'?reasoning'? item)/i,
  /items are not persisted/i,
  /no tool (?:call|output) found for function call/i,
  /expected an id that begins with/i,
  /duplicate item found with id/i,
  /missing required parameter: 'input\[\d+\]\.summary'/i,
  /encrypted content .*could not be (?:verified|decrypted)/i,
];

/** The advice for errors that show that the configured server profile is wrong. */
const hints: readonly (readonly [RegExp, ServerName])[] = [
  [/roles must alternate/i, 'strict-template'],
  [/system message must be at the beginning/i, 'vllm'],
  [/'content' field must be a string/i, 'lmstudio'],
  [/length of 9|after role 'tool'|expected last role/i, 'mistral'],
  [/missing a thought_signature|function call turn comes/i, 'gemini'],
  [/reasoning_content\W.*must be passed back|reasoning_content is missing|missing reasoning_content/i, 'deepseek'],
];

/**
 * The words of servers for a model, or a set-up, that takes no tools: Ollama, vLLM, OpenRouter, llama.cpp.
 *
 * @see https://github.com/ollama/ollama/issues/14795, https://github.com/vllm-project/vllm/issues/9986
 */
const refusesTools =
  /does not support (?:tools|tool use|tool calling|function calling)|support tool use|--enable-auto-tool-choice|tools param requires --jinja/i;

const malformedCodes: readonly string[] = ['invalid_encrypted_content', 'invalid_request_message_order'];

const policyCodes = /^(?:content_filter|invalid_prompt|responsibleaipolicyviolation|\w+_policy(?:_violation)?)$/i;

/** The statuses that correspond to errors inside a stream with status 200. */
const statusOfCode: readonly (readonly [RegExp, number])[] = [
  [/rate_limit|insufficient_quota|too_many_requests/i, 429],
  [/invalid_api_key|authentication/i, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/server_error|overloaded|unavailable|timeout/i, 500],
  [/invalid|unsupported|string_above|context_length|exceed_context|_image|image_|policy|content_filter/i, 400],
];

/**
 * Maps an error of the SDK to our error class. The order is that of section E: first the exclusions that look like an overflow,
 * then codes, then messages. Everything else by status.
 *
 * @see provider-rules B.1, B.7, C.3, D and E
 */
export function toLLMError(thrown: unknown, secrets: Secrets = secretsOf([])): LLMError {
  if (LLMError.isInstance(thrown)) return thrown;
  const failure = readHttpFailure(thrown);
  const { requestId, body } = failure;
  const codes = [
    field(body, 'code'),
    field(body, 'type'),
    field(field(body, 'innererror'), 'code'),
    field(body, 'status'),
  ]
    .map(textOf)
    .filter((code) => code !== undefined);
  // A router puts the message of the server behind it into a separate field.
  const raw = field(field(body, 'metadata'), 'raw');
  const behind = typeof raw === 'object' && raw !== null ? JSON.stringify(raw) : (textOf(raw) ?? '');
  const text = `${textOf(field(body, 'message')) ?? failure.message} ${behind}`.trim();
  // If the body came with status 200, only the error inside it can hold the real status.
  const statusCode = failure.statusCode ?? numericStatus(body);
  const status = statusCode ?? (thrown instanceof ErrorInAnswer ? likelyStatus(codes, text) : undefined);
  const message = secrets.redact(`openai${statusCode === undefined ? '' : ` (${statusCode})`}: ${text}`);
  const options: LLMErrorOptions = {
    provider: 'openai',
    statusCode,
    requestId,
    retryAfterMs: failure.retryAfterMs ?? (status === 429 ? resetAfterMs(field(thrown, 'headers'), codes) : undefined),
    refusesRetry: failure.shouldRetry === false,
    cause: secrets.redactError(thrown),
  };
  const refusal = { statusCode: status, codes, text, body };

  if (thrown instanceof BrokenStream) return new ServiceUnavailableError(message, options);
  if (status === undefined) return withoutStatus(failure.isConnection, text, message, options);
  const overflow = classifyOverflow(refusal);
  if (overflow !== undefined) return new ContextWindowExceededError(message, { ...options, ...overflow });
  if (status === 429 || status === 402) {
    return new RateLimitError(message, { ...options, kind: rateLimitKind(refusal) });
  }
  if (status === 401) return new AuthenticationError(message, options);
  if (codes.some((code) => policyCodes.test(code))) return new ContentPolicyError(message, options);
  if (status === 403) return new AuthenticationError(message, options);
  if (codes.some((code) => malformedCodes.includes(code)) || malformedTexts.some((pattern) => pattern.test(text))) {
    const [, server] = hints.find(([pattern]) => pattern.test(text)) ?? [];
    const hint =
      server === undefined
        ? ''
        : ` (If the address does not show which server it is, set the option server: '${server}')`;
    return new MalformedHistoryError(`${message}${hint}`, options);
  }
  if (isSpent(refusal)) return new RateLimitError(message, { ...options, kind: 'quota' });
  if (status === 408 || status === 409 || status >= 500 || failure.shouldRetry === true)
    return new ServiceUnavailableError(message, options);
  const way = refusesTools.test(text)
    ? ` (This model, or its server, takes no tools. textToolCalls() writes them as text: in the settings of the agent, toolCalls = "text")`
    : '';
  return new InvalidRequestError(`${message}${way}`, options);
}

function numericStatus(body: unknown): number | undefined {
  return [field(body, 'code'), field(body, 'status'), field(body, 'status_code')].find(
    (code): code is number => typeof code === 'number' && code >= 400 && code < 600,
  );
}

/** Without any other sign the server failed, because it had already accepted the request. */
function likelyStatus(codes: readonly string[], text: string): number {
  for (const code of codes) {
    const known = statusOfCode.find(([pattern]) => pattern.test(code));
    if (known !== undefined) return known[1];
  }
  return malformedTexts.some((pattern) => pattern.test(text)) ? 400 : 500;
}

function withoutStatus(isConnection: boolean, said: string, message: string, options: LLMErrorOptions): LLMError {
  if (isConnection) return new ServiceUnavailableError(message, options);
  // The client throws this error before it sends a request.
  if (/credentials|authentication method|api.?key/i.test(said)) return new AuthenticationError(message, options);
  return new InvalidRequestError(message, options);
}

/** Unit: milliseconds. */
const units: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000_001,
};

/**
 * Returns a duration as Go writes it (`6m0s`, `1.5s`, `12ms`), or plain seconds, in milliseconds. Undefined for any other text
 * and for values that are not positive (Azure sends -1 and 0).
 *
 * @see provider-rules B.1
 */
export function goDurationMs(text: string): number | undefined {
  if (/^\d+(?:\.\d+)?$/.test(text)) return positive(Number(text) * 1_000);
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g)) {
    sum += Number(amount) * (units[unit ?? ''] ?? 0);
  }
  return positive(Math.ceil(sum));
}

/**
 * Returns the time until the exceeded limit is reset, for an error that does not say how long to wait. The limit is
 * that of requests or of tokens, whichever is used up or is named by the error's type. Unit: milliseconds.
 */
function resetAfterMs(headers: unknown, codes: readonly string[]): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const resets = ['requests', 'tokens'].flatMap((unit) => {
    const remaining = headers.get(`x-ratelimit-remaining-${unit}`);
    const isUsedUp = remaining !== null && /^0+$/.test(remaining);
    const reset =
      isUsedUp || codes.includes(unit) ? goDurationMs(headers.get(`x-ratelimit-reset-${unit}`) ?? '') : undefined;
    return reset === undefined ? [] : [reset];
  });
  return resets.length === 0 ? undefined : Math.max(...resets);
}

function positive(milliseconds: number): number | undefined {
  return milliseconds > 0 ? milliseconds : undefined;
}
