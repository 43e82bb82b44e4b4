import { describe, expect, it } from 'vitest';
import { cacheDriftOf, expectedCacheRead } from './index.js';
import type { AnsweredRequest, RequestPair } from './index.js';

const minute = 60_000;

function request(input: number, read: number, { write = 0, at = 0, model = 'm' } = {}): AnsweredRequest {
  const usage = {
    uncachedInputTokens: input - read - write,
    cacheReadTokens: read,
    cacheWriteTokens: write,
    outputTokens: 10,
  };
  return { model, usage, at };
}

const pair = (answered: AnsweredRequest, more: Partial<RequestPair> = {}): RequestPair => ({
  previous: request(20_000, 18_000),
  answered,
  ...more,
});

describe('expectedCacheRead', () => {
  it('is the previous request, or what was kept of it', () => {
    expect(expectedCacheRead(pair(request(22_000, 0)))).toBe(20_000);
    expect(expectedCacheRead(pair(request(9_000, 0), { keptTokens: 6_000 }))).toBe(6_000);
    expect(expectedCacheRead(pair(request(9_000, 0)))).toBe(9_000);
  });

  it('is nothing for another model, behind the life of the cache, and below the minimum', () => {
    expect(expectedCacheRead(pair(request(22_000, 0, { model: 'other' })))).toBe(0);
    const facts = { cacheLifeMs: 5 * minute, cacheMinimumTokens: 4_096 };
    expect(expectedCacheRead(pair(request(22_000, 0, { at: 6 * minute }), { facts }))).toBe(0);
    expect(expectedCacheRead(pair(request(22_000, 0, { at: 6 * minute })))).toBe(20_000);
    expect(expectedCacheRead(pair(request(22_000, 0), { keptTokens: 4_000, facts }))).toBe(0);
    expect(expectedCacheRead(pair(request(22_000, 0), { keptTokens: 1_000 }))).toBe(0);
  });
});

describe('cacheDriftOf', () => {
  it('is none up to a tenth and 1,024 tokens, nor when more was read', () => {
    expect(cacheDriftOf(pair(request(22_000, 18_000)))).toBeUndefined();
    expect(cacheDriftOf(pair(request(22_000, 21_000)))).toBeUndefined();
    expect(cacheDriftOf(pair(request(5_000, 2_000), { keptTokens: 3_000 }))).toBeUndefined();
    expect(cacheDriftOf(pair(request(22_000, 17_999)))).toEqual({
      expectedReadTokens: 20_000,
      reportedReadTokens: 17_999,
      reason: 'prefix-changed',
    });
  });

  it.each([
    ['nothing was ever read or written', request(22_000, 0), { previous: request(20_000, 0) }, 'not-reported'],
    ['the prompt was written anew', request(22_000, 0, { write: 21_000 }), {}, 'prefix-changed'],
    ['minutes have gone by', request(22_000, 0, { at: 5 * minute }), {}, 'expired'],
    ['the prefix is small', request(22_000, 0), { keptTokens: 3_000 }, 'below-minimum'],
  ] as const)('gives the likely reason: %s', (_, answered, more, reason) => {
    expect(cacheDriftOf(pair(answered, more))?.reason).toBe(reason);
  });
});
