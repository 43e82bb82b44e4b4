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
  it.each([
    [
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
      'input',
      204_308,
      128_000,
    ],
    [
      "This model's maximum context length is 4097 tokens. However, you requested 4562 tokens (3062 in the messages, 1500 in the completion). Please reduce the length of the messages or completion.",
      'input-and-output',
      3_062,
      4_097,
    ],
    [
      "This model's maximum context length is 4097 tokens. However, you requested 9000 tokens (4000 in the messages, 3500 in the functions, and 1500 in the completion). Please reduce the length of the messages, functions, or completion.",
      'input',
      7_500,
      4_097,
    ],
    [
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages.',
      'input',
      289_650,
      272_000,
    ],
    [
      "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion).",
      'input-and-output',
      122_942,
      131_072,
    ],
    [
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 138956 tokens (7884 of text input, 131072 in the output). Please reduce the length of either one",
      'input-and-output',
      7_884,
      131_072,
    ],
    [
      "This model's maximum context length is 262144 tokens. However, you requested 128000 output tokens and your prompt contains at least 134145 input tokens, for a total of at least 262145 tokens.",
      'input-and-output',
      134_145,
      262_144,
    ],
    [
      "You passed 31745 input tokens and requested 1024 output tokens. However, the model's context length is only 32768 tokens, resulting in a maximum input length of 31744 tokens.",
      'input-and-output',
      31_745,
      32_768,
    ],
    ["This model's maximum prompt length is 131072 but the request contains 136973 tokens.", 'input', 136_973, 131_072],
    [
      'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
      'input',
      1_200_293,
      1_048_576,
    ],
    ['prompt token count of 130000 exceeds the limit of 128000', 'input', 130_000, 128_000],
    ['max_tokens must be at least 1, got -186.', 'input', undefined, undefined],
    ['the request exceeds the available context size, try increasing it', 'input', undefined, undefined],
    [
      'Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
      'input',
      15_857,
      4_096,
    ],
    ['Range of input length should be [1, 30720]', 'input', undefined, 30_720],
    ["The input (9000 tokens) is longer than the model's context length (8192 tokens).", 'input', 9_000, 8_192],
    ['Your request exceeded model token limit: 262144 (requested: 300000)', 'input', undefined, 262_144],
    ['Prompt contains 9000 tokens, too large for model with 8192 maximum context length', 'input', 9_000, 8_192],
  ])('%s', (message, kind, inputTokens, contextWindow) => {
    const error = mapped(400, message);
    expect(error).toMatchObject({ code: 'context-window-exceeded', kind, isRetryable: false, statusCode: 400 });
    expect(error).toMatchObject({ inputTokens, contextWindow });
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

describe('toLLMError: no overflow, although it looks like one', () => {
  it.each([
    [429, 'Please reduce the length of the messages.', 'rate-limit'],
    [400, 'Rate limit: the prompt is too long for your plan per minute', 'invalid-request'],
    [
      400,
      'max_tokens is too large: 6000. This model supports at most 4096 completion tokens, whereas you provided 6000.',
      'invalid-request',
    ],
    [
      400,
      "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 43 instead.",
      'invalid-request',
    ],
    [400, "Invalid 'tools': array too long. Expected an array with maximum length 128", 'invalid-request'],
  ])('%i %s', (status, message, code) => expect(mapped(status, message).code).toBe(code));
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
