import { PalimpsestError } from '@palimpsest/events';
import { describe, expect, it } from 'vitest';
import {
  AuthenticationError,
  ContextWindowExceededError,
  LLMError,
  MissingSdkError,
  RateLimitError,
  ServiceUnavailableError,
} from './errors.js';

const options = { provider: 'test', statusCode: 400, requestId: 'req_1', retryAfterMs: 250 };

describe('LLMError', () => {
  it('is recognised by its own class and by those above it, and by no other', () => {
    const error = new AuthenticationError('no key', options);
    expect(AuthenticationError.isInstance(error)).toBe(true);
    expect(LLMError.isInstance(error)).toBe(true);
    expect(PalimpsestError.isInstance(error)).toBe(true);
    expect(RateLimitError.isInstance(error)).toBe(false);
    expect(error.name).toBe('AuthenticationError');
  });

  it('holds plain data', () => {
    const error = new ContextWindowExceededError('too long', {
      ...options,
      kind: 'input',
      inputTokens: 9,
      contextWindow: 8,
    });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      ...options,
      code: 'context-window-exceeded',
      name: 'ContextWindowExceededError',
      isRetryable: false,
      kind: 'input',
      inputTokens: 9,
      contextWindow: 8,
    });
  });

  it('says whether the same request may succeed later', () => {
    expect(new RateLimitError('wait', { ...options, kind: 'rate' }).isRetryable).toBe(true);
    expect(new RateLimitError('nothing left', { ...options, kind: 'quota' }).isRetryable).toBe(false);
    expect(new ServiceUnavailableError('overloaded', options).isRetryable).toBe(true);
  });

  it('names the package to install', () => {
    expect(new MissingSdkError('openai', { provider: 'openai' }).message).toContain('npm install openai');
  });
});
