import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endAfterSilence } from './silence.js';

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
