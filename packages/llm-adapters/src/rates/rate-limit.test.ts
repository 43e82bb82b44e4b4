import { describe, expect, test } from 'vitest';
import { rateLimitStoreContract } from '../testing/rate-limit-store-contract.js';
import { memoryRateLimitStore, rateLimit } from './rate-limit.js';
import type { RateWait } from '../llm.js';
import type { RateLimitOptions, RateLimitStore } from './rate-limit.js';

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

describe('the store in memory', () => {
  rateLimitStoreContract({ test, create: () => ({ store: memoryRateLimitStore() }) });
});

/** One thing that a store gets wrong, and the rule that must notice. */
const flaws: readonly (readonly [flaw: string, rule: string, broken: (good: RateLimitStore) => RateLimitStore])[] = [
  ['lets all through', 'lets a burst through at once', (good) => ({ ...good, reserve: async () => 0 })],
  [
    'never lets a large call through',
    'a cost above the burst',
    (good) => ({
      ...good,
      reserve: async (charge) => {
        if (charge.costsMs.some((cost) => cost > charge.burstMs)) return Infinity;
        return good.reserve(charge);
      },
    }),
  ],
  [
    'sees one rate only',
    'each rate has its own bucket',
    (good) => ({ ...good, reserve: ({ costsMs, burstMs }) => good.reserve({ costsMs: costsMs.slice(0, 1), burstMs }) }),
  ],
  [
    'takes all rates for one',
    'a rate that a call does not use',
    (good) => ({
      ...good,
      reserve: ({ costsMs, burstMs }) => good.reserve({ costsMs: [Math.max(...costsMs)], burstMs }),
    }),
  ],
  ['gives nothing back', 'what is given back is there', (good) => ({ ...good, adjust: async () => undefined })],
  [
    'keeps what was given back beyond a full bucket',
    'what is given back makes no bucket more than full',
    (good) => {
      let saved = 0;
      return {
        ...good,
        adjust: async (changes) => void (saved -= Math.min(0, ...changes)),
        reserve: async (charge) => Math.max(0, (await good.reserve(charge)) - saved),
      };
    },
  ],
  [
    'corrects downwards only',
    'what a call has cost more',
    (good) => ({ ...good, adjust: (changes) => good.adjust(changes.map((change) => Math.min(0, change))) }),
  ],
  [
    'corrects all rates alike',
    'a correction leaves the other rates',
    (good) => ({ ...good, adjust: (changes) => good.adjust(changes.map(() => Math.min(...changes))) }),
  ],
  [
    'takes the newest pause',
    'a pause holds back',
    (good) => {
      let until = 0;
      return {
        ...good,
        pause: async (ms) => void (until = ms),
        reserve: async (charge) => Math.max(until, await good.reserve(charge)),
      };
    },
  ],
  [
    'forgets what is used in a pause',
    'a pause of a limit in use',
    (good) => {
      let store = good;
      return {
        reserve: (charge) => store.reserve(charge),
        adjust: (changes) => store.adjust(changes),
        pause: (ms) => (store = memoryRateLimitStore()).pause(ms),
      };
    },
  ],
  [
    'reads before it writes',
    'processes that ask at the same time',
    (good) => {
      let known = Promise.resolve(0);
      return {
        ...good,
        reserve: async (charge) => {
          const before = known;
          known = good.reserve(charge);
          return before;
        },
      };
    },
  ],
];

test.each(flaws)('a store that %s does not pass', async (_flaw, rule, broken) => {
  const failed: string[] = [];
  const runs: Promise<unknown>[] = [];
  rateLimitStoreContract({
    create: () => ({ store: broken(memoryRateLimitStore()) }),
    test: (name, run) => runs.push(run().catch(() => failed.push(name))),
  });
  await Promise.all(runs);
  expect(failed.join('\n')).toContain(rule);
});

test('what one process has used another one finds used', async () => {
  const failed: string[] = [];
  const runs: Promise<unknown>[] = [];
  rateLimitStoreContract({
    create: () => ({ store: memoryRateLimitStore(), open: () => memoryRateLimitStore() }),
    test: (name, run) => runs.push(run().catch(() => failed.push(name))),
  });
  await Promise.all(runs);
  expect(failed).toHaveLength(2);
});

describe('in no minute more than the limit', () => {
  const requests: readonly number[] = [1, 2, 3, 7, 50, 500];
  test.each(requests.flatMap((limit) => [0.1, 0.5, 0.9].map((burst) => [limit, burst] as const)))(
    '%s requests, %s at once',
    async (requestsPerMinute, burst) => {
      let now = 0;
      const moments: number[] = [];
      const inner = memoryRateLimitStore({ now: () => now });
      const store: RateLimitStore = {
        ...inner,
        reserve: async (charge) => {
          const waitMs = await inner.reserve(charge);
          // The clock goes on to where the call is let through.
          now += waitMs;
          moments.push(now);
          return 0;
        },
      };
      const limit = rateLimit({ requestsPerMinute, burst, store });
      for (let call = 0; call < 4 * requestsPerMinute; call++) {
        await limit.acquire({});
        // Now and then nobody asks for a while, and the bucket fills.
        if (call % (requestsPerMinute + 3) === 0) now += 90_000;
      }
      const mostInAMinute = Math.max(
        ...moments.map((moment) => moments.filter((other) => other >= moment && other < moment + 59_999.999).length),
      );
      expect(mostInAMinute).toBeLessThanOrEqual(requestsPerMinute);
    },
  );
});

test.each([
  ['five times too high', 0.2],
  ['right', 1],
  ['three times too low', 3],
])('estimates that are %s are made up for: over an hour, the limit is kept and used', async (_what, factor) => {
  let now = 0;
  const inner = memoryRateLimitStore({ now: () => now });
  const corrections: { readonly at: number; readonly changes: readonly number[] }[] = [];
  let used = 0;
  const store: RateLimitStore = {
    ...inner,
    reserve: async (charge) => {
      const moment = now + (await inner.reserve(charge));
      // Answers come while the call waits.
      for (let next = corrections[0]; next !== undefined && next.at <= moment; next = corrections[0]) {
        now = next.at;
        await inner.adjust(next.changes);
        corrections.shift();
      }
      now = moment;
      return 0;
    },
    adjust: async (changes) => void corrections.push({ at: now + 5_000, changes }),
  };
  const tokensPerMinute = 100_000;
  const limit = rateLimit({ tokensPerMinute, store });
  for (let call = 0; now < 3_600_000; call++) {
    const estimated = { inputTokens: 500 + (call % 7) * 300 };
    const actual = { inputTokens: estimated.inputTokens * factor };
    await limit.acquire(estimated);
    await limit.correct(estimated, actual);
    used += actual.inputTokens;
  }
  const minutes = now / 60_000;
  expect(used).toBeLessThan(tokensPerMinute * (minutes + 1));
  expect(used).toBeGreaterThan(0.85 * tokensPerMinute * minutes);
});
