import { describe, expect, test } from 'vitest';
import { rateLimitStoreContract } from '../testing/rate-limit-store-contract.js';
import { rateLimit } from './rate-limit.js';
import { memoryRateLimitStore } from './rate-limit-store.js';
import type { RateLimitStore } from './rate-limit-store.js';

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
