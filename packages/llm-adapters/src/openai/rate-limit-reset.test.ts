import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { toLLMError } from './map-error.js';
import { goDurationMs } from './rate-limit-reset.js';

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
