import { describe, expect, test } from 'vitest';
import { rateLimit } from './rate-limit.js';
import type { RateLimitOptions, RateWait } from './rate-limit.js';
import type { RateLimitStore } from './rate-limit-store.js';

/** A store whose answers the test gives. */
function scriptedStore() {
  const reservations: { readonly costsMs: readonly number[]; readonly answer: (waitMs: number | Error) => void }[] = [];
  const adjustments: (readonly number[])[] = [];
  const pauses: number[] = [];
  const asked: (() => void)[] = [];
  const store: RateLimitStore = {
    reserve: ({ costsMs }) =>
      new Promise((resolve, reject) => {
        const answer = (waitMs: number | Error) => (typeof waitMs === 'number' ? resolve(waitMs) : reject(waitMs));
        reservations.push({ costsMs, answer });
        asked.shift()?.();
      }),
    adjust: async (changes) => void adjustments.push(changes),
    pause: async (ms) => void pauses.push(ms),
  };
  /** Waits until the limit asks for the nth place, and answers. */
  const answer = async (index: number, waitMs: number | Error): Promise<void> => {
    while (reservations.length <= index) await new Promise<void>((resolve) => asked.push(resolve));
    reservations[index]?.answer(waitMs);
  };
  return { store, reservations, adjustments, pauses, answer };
}

const hour = 3_600_000;

test('calls are let through in the order in which they ask, one after the other', async () => {
  const { store, reservations, answer } = scriptedStore();
  const limit = rateLimit({ requestsPerMinute: 60, store });
  const order: number[] = [];
  const calls = [1, 2, 3].map((call) => limit.acquire({}).then(() => order.push(call)));
  expect(reservations).toHaveLength(1);
  await answer(0, 0);
  await answer(1, 5);
  await answer(2, 0);
  await Promise.all(calls);
  expect(order).toEqual([1, 2, 3]);
});

test('what a call takes is counted as shares of a minute, at most a whole one', async () => {
  const { store, reservations, adjustments, answer } = scriptedStore();
  const limits = {
    requestsPerMinute: 60,
    tokensPerMinute: 6_000,
    inputTokensPerMinute: 1_000,
    outputTokensPerMinute: 500,
  };
  const limit = rateLimit({ ...limits, burst: 0.5, store });
  const acquired = { inputTokens: 100, outputTokens: 1_000 };
  await Promise.all([limit.acquire(acquired), answer(0, 0)]);
  expect(reservations[0]?.costsMs).toEqual([2_000, 22_000, 12_000, 120_000]);
  await limit.correct(acquired, { inputTokens: 200, outputTokens: 50 });
  expect(adjustments).toEqual([[0, 5_000 - 22_000, 12_000, 12_000 - 120_000]]);
  await limit.correct(acquired, acquired);
  expect(adjustments).toHaveLength(1);
});

describe('an abort while waiting', () => {
  test('of the first call gives its place back, and the next one goes on', async () => {
    const { store, reservations, adjustments, answer } = scriptedStore();
    const limit = rateLimit({ requestsPerMinute: 60, store });
    const aborter = new AbortController();
    const reason = new Error('enough');
    const waits: RateWait[] = [];
    const first = limit.acquire(
      {},
      {
        signal: aborter.signal,
        onWait: (wait) => {
          waits.push(wait);
          queueMicrotask(() => aborter.abort(reason));
        },
      },
    );
    const next = limit.acquire({});
    await answer(0, hour);
    await expect(first).rejects.toBe(reason);
    await answer(1, 0);
    await next;
    expect(adjustments).toEqual([reservations[0]?.costsMs.map((cost) => -cost)]);
    expect(waits).toEqual([{ ahead: 0, waitMs: hour }]);
  });

  test('of a call in the line takes it out, and nothing is asked for it', async () => {
    const { store, reservations, adjustments, answer } = scriptedStore();
    const limit = rateLimit({ requestsPerMinute: 60, store });
    const aborter = new AbortController();
    const first = limit.acquire({});
    const second = limit.acquire({}, { signal: aborter.signal });
    const third = limit.acquire({});
    aborter.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await answer(0, 0);
    await answer(1, 0);
    await Promise.all([first, third]);
    expect([reservations.length, adjustments.length]).toEqual([2, 0]);
  });

  test('while the store is asked ends the wait at once, and what it reserves later is given back', async () => {
    const { store, adjustments, answer } = scriptedStore();
    const limit = rateLimit({ requestsPerMinute: 60, store });
    const aborter = new AbortController();
    const first = limit.acquire({}, { signal: aborter.signal });
    aborter.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    const next = limit.acquire({});
    await answer(0, 0);
    await answer(1, 0);
    await next;
    expect(adjustments).toHaveLength(1);
  });

  test('before the call asks nothing', async () => {
    const { store, reservations } = scriptedStore();
    const limit = rateLimit({ requestsPerMinute: 60, store });
    await expect(limit.acquire({}, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
    expect(reservations).toEqual([]);
  });
});

test('a cost that is no number is refused, and not stored', async () => {
  const { store, reservations, adjustments } = scriptedStore();
  const limit = rateLimit({ tokensPerMinute: 60, store });
  await expect(limit.acquire({ inputTokens: NaN })).rejects.toThrow(RangeError);
  await expect(limit.acquire({ outputTokens: -1 })).rejects.toThrow('A cost must not be below 0, but is -1');
  await expect(limit.correct({}, { outputTokens: NaN })).rejects.toThrow(RangeError);
  expect([reservations, adjustments]).toEqual([[], []]);
});

test('a store that fails ends the call, and the next one asks again', async () => {
  const { store, adjustments, answer } = scriptedStore();
  const limit = rateLimit({ requestsPerMinute: 60, store });
  const calls = [limit.acquire({}), limit.acquire({})] as const;
  const ended = Promise.allSettled(calls);
  await answer(0, new Error('the database is gone'));
  await answer(1, 0);
  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(adjustments).toEqual([]);
});

test('everybody who waits is told once', async () => {
  const { store, answer } = scriptedStore();
  const limit = rateLimit({ requestsPerMinute: 60, store });
  const told: RateWait[] = [];
  const aborter = new AbortController();
  const call = () => limit.acquire({}, { signal: aborter.signal, onWait: (wait) => told.push(wait) });
  const calls = [call(), call()];
  await answer(0, hour);
  while (told.length < 2) await Promise.resolve();
  calls.push(call());
  aborter.abort(new Error('enough'));
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(told.map(({ ahead }) => ahead)).toEqual([0, 1, 2]);
});

test('who does not have to wait is not told', async () => {
  const limit = rateLimit({ requestsPerMinute: 600 });
  const told: RateWait[] = [];
  await Promise.all([1, 2, 3].map(() => limit.acquire({}, { onWait: (wait) => told.push(wait) })));
  expect(told).toEqual([]);
});

test('a pause holds the call back that waits already', async () => {
  const { store, pauses, answer } = scriptedStore();
  const limit = rateLimit({ requestsPerMinute: 60, store });
  const aborter = new AbortController();
  const events: string[] = [];
  const first = limit.acquire(
    {},
    { signal: aborter.signal, onWait: () => void limit.pause(hour).then(() => events.push('paused')) },
  );
  // The time of the first wait has passed when a call of another limit with the same wait is through.
  const other = scriptedStore();
  const same = rateLimit({ requestsPerMinute: 60, store: other.store }).acquire({});
  await answer(0, 5);
  await other.answer(0, 10);
  await same;
  expect(events).toEqual(['paused']);
  aborter.abort(new Error('enough'));
  await expect(first).rejects.toThrow('enough');
  expect(pauses).toEqual([hour]);
});

test.each<[RateLimitOptions, RegExp]>([
  [{}, /needs at least one of requestsPerMinute, tokensPerMinute/],
  [{ requestsPerMinute: 0 }, /requestsPerMinute must be a number above 0, not 0/],
  [{ tokensPerMinute: NaN }, /tokensPerMinute .* not NaN/],
  [{ inputTokensPerMinute: Infinity }, /inputTokensPerMinute .* not Infinity/],
  [{ requestsPerMinute: 1, burst: 1 }, /burst must be between 0 and 1, not 1/],
  [{ requestsPerMinute: 1, burst: 0 }, /burst must be between 0 and 1, not 0/],
])('%o is refused', (options, message) => {
  expect(() => rateLimit(options)).toThrow(message);
});
