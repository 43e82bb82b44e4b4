import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { BrokenStream, ErrorInAnswer, errorInResponse } from './error-body.js';
import { goDurationMs, toLLMError } from './map-error.js';

/** Returns what the SDK throws for an answer with this status and error object. */
const thrown = (status: number, error: object, headers: Record<string, string> = {}) =>
  OpenAI.APIError.generate(status, { error }, undefined, new Headers(headers));
const mapped = (status: number, message: string, fields: object = {}) =>
  toLLMError(thrown(status, { message, ...fields }));

describe('toLLMError: another try', () => {
  it.each([
    [429, 'false', false],
    [500, 'false', false],
    [500, 'true', true],
    [400, 'true', true],
    [400, 'false', false],
  ])('after %i with x-should-retry %s: %s', (status, header, isRetryable) => {
    const error = toLLMError(thrown(status, { message: 'No.' }, { 'x-should-retry': header }));
    expect(error.isRetryable).toBe(isRetryable);
  });

  it.each([
    [429, { code: 'billing_not_active' }],
    [400, { code: 'billing_hard_limit_reached' }],
    [400, { message: 'Billing hard limit has been reached' }],
  ])('makes no sense for an account that may not spend: %i %j', (status, error) => {
    expect(toLLMError(thrown(status, { message: 'No.', ...error }))).toMatchObject({
      kind: 'quota',
      isRetryable: false,
    });
  });
});

describe('toLLMError: overflow', () => {
  it('is read from the words, with its numbers', () => {
    const words =
      "This model's maximum context length is 4097 tokens. However, you requested 4562 tokens (3062 in the messages, 1500 in the completion).";
    expect(mapped(400, words)).toMatchObject({
      code: 'context-window-exceeded',
      kind: 'input-and-output',
      inputTokens: 3_062,
      contextWindow: 4_097,
      isRetryable: false,
      statusCode: 400,
    });
  });

  it('knows the codes, also with a status that says otherwise', () => {
    expect(mapped(400, 'Too much.', { code: 'context_length_exceeded' }).code).toBe('context-window-exceeded');
    expect(mapped(500, 'No.', { type: 'exceed_context_size_error', code: 500 }).code).toBe('context-window-exceeded');
  });

  it('reads what a router puts aside', () => {
    const raw = '{"error":{"message":"Input is too long for requested model."}}';
    expect(mapped(400, 'Provider returned error', { code: 400, metadata: { raw } }).code).toBe(
      'context-window-exceeded',
    );
  });
});

describe('toLLMError: everything else', () => {
  it('tells rate limits, and a request above the limit of a minute, apart', () => {
    const words =
      'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 36278. The input or output tokens must be reduced';
    expect(mapped(429, words, { code: 'rate_limit_exceeded' })).toMatchObject({
      code: 'context-window-exceeded',
      kind: 'input-and-output',
      contextWindow: 30_000,
      requestedTokens: 36_278,
      isRetryable: false,
    });
    expect(mapped(429, words.replace('36278', '20000'))).toMatchObject({ kind: 'rate', isRetryable: true });
    expect(mapped(429, 'You exceeded your current quota', { code: 'insufficient_quota' })).toMatchObject({
      kind: 'quota',
      isRetryable: false,
    });
  });

  it.each([
    [
      400,
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
      {},
      'malformed-history',
    ],
    [
      400,
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      {},
      'malformed-history',
    ],
    [
      500,
      'Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles',
      {},
      'malformed-history',
    ],
    [400, 'Your request was rejected.', { code: 'content_policy_violation' }, 'content-policy'],
    [403, 'Your input was flagged.', { code: 'content_filter' }, 'content-policy'],
    [
      400,
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
      { param: 'input' },
      'malformed-history',
    ],
    [
      400,
      "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
      {},
      'malformed-history',
    ],
    [
      404,
      "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
      {},
      'malformed-history',
    ],
    [400, 'No tool call found for function call output with call_id call_1.', {}, 'malformed-history'],
    [400, 'No tool output found for function call call_1.', {}, 'malformed-history'],
    [400, 'It could not be read.', { code: 'invalid_encrypted_content' }, 'malformed-history'],
    [400, 'Function call is missing a thought_signature in functionCall parts.', {}, 'malformed-history'],
    [400, 'The `reasoning_content` in the thinking mode must be passed back to the API.', {}, 'malformed-history'],
    [
      400,
      'thinking is enabled but reasoning_content is missing in assistant tool call message at index 13',
      {},
      'malformed-history',
    ],
    [400, "Unexpected role 'user' after role 'tool'", { code: '3230' }, 'malformed-history'],
    [
      400,
      'Filtered.',
      { code: 'content_filter', innererror: { code: 'ResponsibleAIPolicyViolation' } },
      'content-policy',
    ],
    [401, 'Incorrect API key provided.', { code: 'invalid_api_key' }, 'authentication'],
    [403, 'Not allowed.', {}, 'authentication'],
    [404, "The model 'x' does not exist.", { code: 'model_not_found' }, 'invalid-request'],
    [400, "Unsupported parameter: 'max_tokens' is not supported with this model.", {}, 'invalid-request'],
    [408, 'Timeout.', {}, 'service-unavailable'],
    [503, 'Overloaded.', {}, 'service-unavailable'],
  ])('%i %s', (status, message, fields, code) => expect(mapped(status, message, fields).code).toBe(code));

  it('keeps when to retry, and the name of the request', () => {
    const error = (headers: Record<string, string>) => toLLMError(thrown(429, { message: 'Wait.' }, headers));
    expect(error({ 'retry-after': '2', 'x-request-id': 'req_7' })).toMatchObject({
      retryAfterMs: 2_000,
      requestId: 'req_7',
    });
    expect(error({ 'retry-after': '2', 'retry-after-ms': '1500' }).retryAfterMs).toBe(1_500);
    expect(error({}).retryAfterMs).toBeUndefined();
  });

  it('knows a lost connection, a missing key, and what is neither', () => {
    const lost = new OpenAI.APIConnectionError({ cause: new Error('ECONNREFUSED') });
    expect(toLLMError(lost)).toMatchObject({ code: 'service-unavailable', isRetryable: true, cause: lost });
    expect(toLLMError(new OpenAI.APIConnectionTimeoutError())).toMatchObject({ code: 'service-unavailable' });
    expect(toLLMError(new OpenAI.OpenAIError('Missing credentials.')).code).toBe('authentication');
    expect(toLLMError(new TypeError('Invalid URL')).code).toBe('invalid-request');
    expect(toLLMError('a string').code).toBe('invalid-request');
  });
});

describe('toLLMError: after status 200', () => {
  it('finds an error that came in place of an answer, and no other', () => {
    const found = errorInResponse({ error: { code: 400, message: 'maximum context length is 10 tokens' } });
    expect(toLLMError(found)).toMatchObject({ code: 'context-window-exceeded', statusCode: 400 });
    expect(toLLMError(errorInResponse({ error: { message: 'Upstream failed.' } })).code).toBe('service-unavailable');
    expect(errorInResponse({ choices: [], error: null })).toBeUndefined();
    expect(errorInResponse({ object: 'response', output: [], error: null })).toBeUndefined();
    expect(errorInResponse({ object: 'response', output: [], error: { message: 'No.' } })?.message).toBe('No.');
    expect(errorInResponse('text')).toBeUndefined();
  });

  it.each([
    [{ code: 'context_length_exceeded', message: 'Your input exceeds the context window.' }, 'context-window-exceeded'],
    [{ code: 'rate_limit_exceeded', message: 'Slow down.' }, 'rate-limit'],
    [{ code: 'insufficient_quota', message: 'Pay.' }, 'rate-limit'],
    [{ code: 'server_error', message: 'Sorry.' }, 'service-unavailable'],
    [{ code: 'image_content_policy_violation', message: 'No.' }, 'content-policy'],
    [{ code: 'invalid_image', message: 'What is this?' }, 'invalid-request'],
    [{ message: 'roles must alternate' }, 'malformed-history'],
    [{ message: 'Something.' }, 'service-unavailable'],
    [{ code: 503, message: 'Somebody is down.' }, 'service-unavailable'],
  ])('%j', (error, code) => expect(toLLMError(new ErrorInAnswer(error)).code).toBe(code));

  it('calls a stream that broke off unavailable, and leaves an error of our own as it is', () => {
    const broken = toLLMError(new BrokenStream(new TypeError('terminated')));
    expect(broken).toMatchObject({ code: 'service-unavailable', isRetryable: true });
    expect(toLLMError(broken)).toBe(broken);
    expect(toLLMError(new SyntaxError('Unexpected end of JSON input')).code).toBe('service-unavailable');
  });
});

describe('goDurationMs', () => {
  it.each([
    ['12ms', 12],
    ['1s', 1_000],
    ['1.5s', 1_500],
    ['6m0s', 360_000],
    ['1h2m3.5s', 3_723_500],
    ['250us', 1],
    ['7', 7_000],
    ['0', undefined],
    ['-1', undefined],
    ['0s', undefined],
    ['', undefined],
    ['soon', undefined],
    ['1d', undefined],
  ])('%s', (text, milliseconds) => expect(goDurationMs(text)).toBe(milliseconds));
});

describe('a rate limit', () => {
  const waits = (headers: Record<string, string>, type = 'x') => {
    const error = { message: 'Slow down.', type, code: 'rate_limit_exceeded' };
    return toLLMError(OpenAI.APIError.generate(429, { error }, undefined, new Headers(headers))).retryAfterMs;
  };
  const resets = { 'x-ratelimit-reset-requests': '2s', 'x-ratelimit-reset-tokens': '6m0s' };

  it('says itself how long to wait', () => expect(waits({ ...resets, 'retry-after': '1' }, 'tokens')).toBe(1_000));

  it('or when what is used up is reset', () => {
    expect(waits({ ...resets, 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-remaining-tokens': '9' })).toBe(
      2_000,
    );
    expect(waits({ ...resets, 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-remaining-tokens': '0' })).toBe(
      360_000,
    );
    expect(waits(resets, 'tokens')).toBe(360_000);
  });

  it('or nothing', () => {
    expect(waits(resets)).toBeUndefined();
    expect(waits({ 'x-ratelimit-reset-tokens': '-1', 'x-ratelimit-remaining-tokens': '0' })).toBeUndefined();
  });
});
