import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { toLLMError } from './map-error.js';

/** Returns what the SDK throws for an answer with this status and error. */
const thrown = (status: number, error: object, headers: Record<string, string> = {}) =>
  Anthropic.APIError.generate(status, { type: 'error', error }, undefined, new Headers(headers));
const mapped = (status: number, message: string, fields: object = {}) =>
  toLLMError(thrown(status, { type: 'invalid_request_error', message, ...fields }));

describe('toLLMError: overflow', () => {
  it('is read from the words, with its numbers', () => {
    expect(mapped(400, 'prompt is too long: 208310 tokens > 200000 maximum')).toMatchObject({
      code: 'context-window-exceeded',
      kind: 'input',
      inputTokens: 208_310,
      contextWindow: 200_000,
    });
  });

  it('counts bytes apart from tokens', () => {
    const error = mapped(413, 'Request exceeds the maximum size', { type: 'request_too_large' });
    expect(error).toMatchObject({ code: 'context-window-exceeded', kind: 'bytes' });
    expect(toLLMError(Anthropic.APIError.generate(413, undefined, 'Too large', new Headers())).code).toBe(
      'context-window-exceeded',
    );
  });
});

describe('toLLMError: everything else', () => {
  it.each([
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.',
    'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.',
    'messages.4.content.5: each tool_use must have a single result.',
    'messages.1.content.1: `tool_use` ids must be unique',
    "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    'messages: text content blocks must be non-empty',
    'messages.4.content.0.tool_result: content cannot be empty if `is_error` is true',
    'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
    'messages.3.content.8: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.',
    'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.',
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  ])('malformed history: %s', (message) => expect(mapped(400, message).code).toBe('malformed-history'));

  it.each([
    [401, 'authentication_error', 'invalid x-api-key', 'authentication', false],
    [403, 'permission_error', 'Your key may not use this model.', 'authentication', false],
    [404, 'not_found_error', 'model: claude-none', 'invalid-request', false],
    [400, 'invalid_request_error', '`temperature` is deprecated for this model.', 'invalid-request', false],
    [400, 'invalid_request_error', 'Output blocked by content filtering policy', 'content-policy', false],
    [500, 'api_error', 'Internal server error', 'service-unavailable', true],
    [529, 'overloaded_error', 'Overloaded', 'service-unavailable', true],
    [429, 'rate_limit_error', 'Number of requests', 'rate-limit', true],
    [402, 'billing_error', 'Pay first.', 'rate-limit', false],
  ])('%i %s', (status, type, message, code, isRetryable) => {
    expect(toLLMError(thrown(status, { type, message }))).toMatchObject({ code, isRetryable, statusCode: status });
  });

  it('knows a spend limit, which no waiting helps', () => {
    const details = { error_code: 'enforced_spend_limit_reached' };
    expect(toLLMError(thrown(429, { type: 'rate_limit_error', message: 'Spent.', details }))).toMatchObject({
      kind: 'quota',
      isRetryable: false,
    });
  });

  it.each([
    ['Your credit balance is too low to access the API.'],
    ['You have reached your specified API usage limits.'],
  ])('knows that nothing is left to spend: %s', (message) => {
    expect(mapped(400, message)).toMatchObject({ code: 'rate-limit', kind: 'quota', isRetryable: false });
  });

  it.each([
    [400, 'tool_name_conflict', 'invalid-request', false],
    [404, 'thread_not_found', 'invalid-request', false],
    [529, 'compaction_unavailable', 'service-unavailable', true],
  ])('%i with the code %s', (status, error_code, code, isRetryable) => {
    const type = status === 529 ? 'overloaded_error' : 'invalid_request_error';
    const error = toLLMError(thrown(status, { type, message: 'No.', details: { error_code } }));
    expect(error).toMatchObject({ code, isRetryable });
  });

  it('takes the word of a provider that says that another try makes sense', () => {
    const error = { type: 'invalid_request_error', message: 'Not now.' };
    expect(toLLMError(thrown(400, error, { 'x-should-retry': 'true' })).code).toBe('service-unavailable');
    expect(toLLMError(thrown(400, error)).code).toBe('invalid-request');
  });

  it.each([
    [
      'Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
      "thinking 'prefix-bound'",
    ],
    ['`thinking` blocks in the latest assistant message cannot be modified.', 'whole, in its order'],
    ['messages.1.content.0: Invalid `signature` in `thinking` block', 'send it as it came'],
    ['Expected `thinking` or `redacted_thinking`, but found `tool_use`.', "thinking 'latest-turn'"],
  ])('says what to do about thinking: %s', (message, advice) => {
    const error = mapped(400, message);
    expect(error.code).toBe('malformed-history');
    expect(error.message).toContain(message);
    expect(error.message).toContain(advice);
  });

  it('keeps when to retry, and the name of the request', () => {
    const error = toLLMError(
      thrown(529, { type: 'overloaded_error', message: 'Wait.' }, { 'retry-after': '3', 'request-id': 'req_7' }),
    );
    expect(error).toMatchObject({ retryAfterMs: 3_000, requestId: 'req_7' });
  });

  it('knows a lost connection, a missing key, and what is neither', () => {
    const lost = new Anthropic.APIConnectionError({ cause: new Error('ECONNREFUSED') });
    expect(toLLMError(lost)).toMatchObject({ code: 'service-unavailable', isRetryable: true, cause: lost });
    expect(toLLMError(new Error('Could not resolve authentication method.')).code).toBe('authentication');
    expect(toLLMError(new TypeError('Invalid URL')).code).toBe('invalid-request');
  });
});
