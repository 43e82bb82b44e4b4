import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LLMError, RateLimitError, ServiceUnavailableError } from './errors.js';
import { endAfterSilence, withRetries } from './retry.js';
import type { FailedAttempt } from './llm.js';
import type { RetryOptions } from './retry.js';

const provider = 'test';
const overloaded = new ServiceUnavailableError('overloaded', { provider });
const retryable = (thrown: unknown) => (LLMError.isInstance(thrown) && thrown.isRetryable ? thrown : undefined);

/** Fails as often as there are errors, then answers how often it was asked. */
async function run(errors: readonly Error[], options: RetryOptions = {}, random = 0.5) {
  const waits: number[] = [];
  let tries = 0;
  const result = await withRetries(
    { minDelayMs: 2, maxDelayMs: 4, ...options, onRetry: ({ delayMs }) => waits.push(delayMs) },
    {
      attempt: () => {
        const error = errors[tries++];
        return error === undefined ? Promise.resolve(tries) : Promise.reject(error);
      },
      retryable,
      random: () => random,
    },
  ).catch((thrown: unknown) => thrown);
  return { result, tries, waits };
}

describe('withRetries', () => {
  it('tries three times in all, and throws the last error', async () => {
    const last = new ServiceUnavailableError('still overloaded', { provider });
    expect(await run([overloaded, overloaded, last])).toEqual({ result: last, tries: 3, waits: [1, 2] });
    expect(await run([overloaded, overloaded])).toMatchObject({ result: 3 });
  });

  it('waits a random time up to a bound that doubles up to another', async () => {
    const errors = [overloaded, overloaded, overloaded, overloaded];
    expect((await run(errors, { attempts: 5 }, 0.99)).waits).toEqual([1, 3, 3, 3]);
    expect((await run(errors, { attempts: 5 }, 0)).waits).toEqual([0, 0, 0, 0]);
  });

  it('tries once where that is what is wanted', async () => {
    expect(await run([overloaded], { attempts: 1 })).toEqual({ result: overloaded, tries: 1, waits: [] });
  });

  it('never tries again what cannot succeed', async () => {
    const quota = new RateLimitError('nothing left', { provider, kind: 'quota' });
    const bug = new TypeError('a bug');
    expect(await run([quota])).toEqual({ result: quota, tries: 1, waits: [] });
    expect(await run([bug])).toEqual({ result: bug, tries: 1, waits: [] });
  });

  it('waits at least as long as the provider asks, and gives up at once where that is too long', async () => {
    const slow = (retryAfterMs: number) => new RateLimitError('slow', { provider, kind: 'rate', retryAfterMs });
    expect(await run([slow(7), slow(0), slow(0)], { attempts: 4 })).toEqual({ result: 4, tries: 4, waits: [7, 2, 2] });
    const tooSlow = slow(3_600_000);
    expect(await run([tooSlow])).toEqual({ result: tooSlow, tries: 1, waits: [] });
  });

  it('goes on for a time, in which each call takes a minute, and has its last try at the end of it', async () => {
    const failures: FailedAttempt[] = [];
    let clock = 0;
    const call = withRetries(
      // A wait takes no time on this clock.
      { attempts: Infinity, maxTotalMs: 150_000, minDelayMs: 2, onRetry: (failure) => failures.push(failure) },
      {
        attempt: () => {
          clock += 60_000;
          return Promise.reject(overloaded);
        },
        retryable,
        random: () => 0.5,
        now: () => clock,
      },
    );
    await expect(call).rejects.toBe(overloaded);
    const shown = failures.map(({ attempt, attempts, remainingMs }) => [attempt, attempts, remainingMs]);
    expect(shown).toEqual([
      [1, Infinity, 150_000],
      [2, Infinity, 90_000],
      [3, Infinity, 30_000],
    ]);
    const late = { attempts: Infinity, maxTotalMs: 0 };
    expect(await run([overloaded], late)).toMatchObject({ result: overloaded, tries: 1 });
  });

  it('gives up at once where the provider asks for more than is left, and earlier where the error says so', async () => {
    const slow = new RateLimitError('slow', { provider, kind: 'rate', retryAfterMs: 50_000 });
    expect(await run([slow], { maxTotalMs: 40_000 })).toMatchObject({ result: slow, tries: 1 });
    const refused = new ServiceUnavailableError('refused', { provider, maxRetryMs: 0 });
    expect(await run([overloaded, refused], { attempts: Infinity, maxTotalMs: 40_000 })).toMatchObject({
      result: refused,
      tries: 2,
    });
  });

  it('ends at once when the signal aborts during the wait', async () => {
    const aborter = new AbortController();
    const reason = new Error('enough');
    const failures: FailedAttempt[] = [];
    const call = withRetries(
      {
        minDelayMs: 600_000,
        maxDelayMs: 600_000,
        onRetry: (failure) => {
          failures.push(failure);
          queueMicrotask(() => aborter.abort(reason));
        },
      },
      { attempt: () => Promise.reject(overloaded), retryable, signal: aborter.signal, random: () => 0.9 },
    );
    await expect(call).rejects.toBe(reason);
    expect(failures).toEqual([{ attempt: 1, attempts: 3, error: overloaded, delayMs: 540_000 }]);
  });

  it('ends with what the hook throws', async () => {
    const mine = new Error('no more');
    const call = withRetries(
      {
        onRetry: () => {
          throw mine;
        },
      },
      { attempt: () => Promise.reject(overloaded), retryable },
    );
    await expect(call).rejects.toBe(mine);
  });
});

const options = { baseURL: 'http://somewhere/v1', timeoutMs: 1_000, signal: undefined, provider: 'test' };

/** Ends when its signal aborts, as a request does. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });

describe('endAfterSilence', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('ends an attempt of which nothing was heard for the time, and says so', async () => {
    const ended = endAfterSilence(options, untilAborted).catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await ended).toMatchObject({
      code: 'service-unavailable',
      isRetryable: true,
      message: 'test: no answer within 1000 ms from http://somewhere/v1',
    });
  });

  it('lets an attempt take longer that is heard of again and again', async () => {
    let isAborted = false;
    let finish = () => {};
    const answer = endAfterSilence(options, async (signal, heard) => {
      signal.addEventListener('abort', () => (isAborted = true));
      const timer = setInterval(heard, 900);
      await new Promise<void>((resolve) => (finish = resolve));
      clearInterval(timer);
      return 'done';
    });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(isAborted).toBe(false);
    finish();
    expect(await answer).toBe('done');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends an attempt that falls silent after it was heard of', async () => {
    const ended = endAfterSilence(options, (signal, heard) => {
      setTimeout(heard, 600);
      return untilAborted(signal);
    }).catch(() => 'ended');
    let hasEnded = false;
    void ended.then(() => (hasEnded = true));
    await vi.advanceTimersByTimeAsync(1_500);
    expect(hasEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(hasEnded).toBe(true);
  });

  it('passes on what the attempt itself ends in', async () => {
    const failure = new Error('refused');
    await expect(endAfterSilence(options, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('aborts with the signal of the caller', async () => {
    const aborter = new AbortController();
    const ended = endAfterSilence({ ...options, signal: aborter.signal }, untilAborted);
    aborter.abort();
    await expect(ended).rejects.toThrow('aborted');
  });
});
