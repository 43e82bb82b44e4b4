import { describe, expect, it } from 'vitest';
import { ContextWindowExceededError } from '../errors.js';
import { refusalKind } from './refusal-kind.js';

const anthropic = {
  type: 'error',
  error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
};
const openai = {
  error: {
    message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens.",
    code: 'context_length_exceeded',
  },
};
const sizes = { inputTokens: 204_308, contextWindow: 128_000 };

describe('refusalKind', () => {
  it.each([
    [
      'an error of the SDK of Anthropic',
      { status: 400, error: anthropic, message: '400 …' },
      { inputTokens: 210_000, contextWindow: 200_000 },
    ],
    [
      'an error of the SDK of OpenAI',
      { status: 400, error: openai.error, code: 'context_length_exceeded', message: '400 …' },
      sizes,
    ],
    [
      'an error of the AI SDK',
      { statusCode: 400, responseBody: JSON.stringify(openai), message: 'Bad Request' },
      sizes,
    ],
    [
      'a retry that failed',
      { message: 'Failed after 3 attempts', lastError: { statusCode: 400, data: openai } },
      sizes,
    ],
    [
      'a cause of a cause',
      new Error('call', { cause: new Error('model', { cause: { status: 400, error: openai } }) }),
      sizes,
    ],
    [
      'an error of ours',
      new ContextWindowExceededError('full', { provider: 'openai', kind: 'input', ...sizes }),
      sizes,
    ],
    ['a plain text', 'Input is too long for requested model.', {}],
  ])('finds an overflow in %s', (_, error, expected) => {
    expect(refusalKind(error)).toMatchObject({ type: 'overflow', ...expected });
  });

  it('finds thinking that is bound to another history', () => {
    const message =
      '400 messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.';
    expect(refusalKind(new Error('x', { cause: new Error(message) }))).toEqual({ type: 'bound-thinking' });
  });

  it.each([
    [
      {
        status: 429,
        error: {
          error: { message: 'Rate limit reached: tokens per min (TPM): Limit 30000, Used 28000, Requested 6278.' },
        },
      },
    ],
    [{ status: 400, message: 'max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens' }],
    [new Error('aborted')],
    [undefined],
    [null],
  ])('leaves other errors alone: %j', (error) => {
    expect(refusalKind(error)).toBeUndefined();
  });

  it('ends with errors that hold themselves', () => {
    const error: { cause?: unknown; errors?: unknown } = {};
    error.cause = error;
    error.errors = [error, error];
    expect(refusalKind(error)).toBeUndefined();
  });
});
