import { expect, onTestFinished, test, vi } from 'vitest';
import { withinDeadline } from './call-model.js';

const never = new Promise<never>(() => {});
const deadline = { timeoutMs: 10_000, model: 'm' };

test('what comes in time is what there is, and no timer is left', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  expect(await withinDeadline(deadline, () => Promise.resolve('done'))).toBe('done');
  const failure = new Error('no');
  await expect(withinDeadline(deadline, () => Promise.reject(failure))).rejects.toBe(failure);
  const thrown = () => {
    throw failure;
  };
  await expect(withinDeadline(deadline, thrown)).rejects.toBe(failure);
  expect(vi.getTimerCount()).toBe(0);
});

test('what does not is left alone, its signal aborts, and it is not worth another try', async () => {
  let given: AbortSignal | undefined;
  const deaf = (signal: AbortSignal): Promise<never> => ((given = signal), never);
  const waiting = withinDeadline({ ...deadline, timeoutMs: 1 }, deaf);
  await expect(waiting).rejects.toMatchObject({ kind: 'timeout', mayRetry: false, account: { model: 'm' } });
  expect(given?.aborted).toBe(true);
});

test('an abort ends it with its own reason, whatever the work then throws', async () => {
  const abort = new AbortController();
  const reason = new Error('nobody waits');
  const rude = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('something else'))));
  const waiting = withinDeadline({ ...deadline, signal: abort.signal }, rude);
  abort.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  const work = vi.fn(() => never);
  await expect(withinDeadline({ ...deadline, signal: abort.signal }, work)).rejects.toBe(reason);
  expect(work).not.toHaveBeenCalled();
});

test('a deadline that no timer can hold is the longest that one can', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  await withinDeadline({ ...deadline, timeoutMs: 2 ** 40 }, () => Promise.resolve());
  expect(timers.mock.calls.map(([, delay]) => delay)).toEqual([2 ** 31 - 1]);
});
