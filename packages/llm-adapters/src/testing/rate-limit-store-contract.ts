import assert from 'node:assert/strict';
import type { RateLimitStore } from '../rates/rate-limit.js';

/** A store to test, in which nothing is used. */
export interface RateLimitStoreUnderTest {
  readonly store: RateLimitStore;
  /** Opens the same limit as another process would. @defaultValue `store` itself: it serves one process */
  readonly open?: () => RateLimitStore;
  /** Called when the test is over. */
  readonly dispose?: () => unknown;
}

/** Options of {@link rateLimitStoreContract}. */
export interface RateLimitStoreContractOptions {
  /** The runner's function that registers one test: of vitest, jest or `node:test`. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  readonly create: () => RateLimitStoreUnderTest | Promise<RateLimitStoreUnderTest>;
}

/**
 * Registers one test for each promise of the {@link RateLimitStore} port. The tests wait for nothing: their costs are hours.
 *
 * @example
 * ```ts
 * rateLimitStoreContract({ test, create: () => ({ store: memoryRateLimitStore() }) });
 * ```
 */
export function rateLimitStoreContract({ test, create }: RateLimitStoreContractOptions): void {
  for (const [name, check] of Object.entries(rules)) {
    test(`rate limit store: ${name}`, async () => {
      const { store, open = () => store, dispose } = await create();
      try {
        await check(store, open);
      } finally {
        await dispose?.();
      }
    });
  }
}

const hour = 3_600_000;

type Rule = (store: RateLimitStore, open: () => RateLimitStore) => Promise<void>;

const rules: Readonly<Record<string, Rule>> = {
  'lets a burst through at once, and then one after the other': async (store) => {
    assert.deepEqual(await hoursOf(store, [1], [1], [1], [1], [1]), [0, 0, 0, 1, 2]);
  },
  'a cost above the burst waits until nothing is used, and is paid for afterwards': async (store) => {
    assert.deepEqual(await hoursOf(store, [1], [10], [1], [1]), [0, 1, 9, 10]);
  },
  'each rate has its own bucket, and the fullest one decides': async (store) => {
    assert.deepEqual(await hoursOf(store, [3, 1], [1, 0], [0, 3], [1, 2]), [0, 1, 1, 3]);
  },
  'a rate that a call does not use does not hold it back': async (store) => {
    assert.deepEqual(await hoursOf(store, [10, 0], [0, 1], [0, 1]), [0, 0, 0]);
  },
  'what is given back is there for the next call': async (store) => {
    assert.deepEqual(await hoursOf(store, [3], [1]), [0, 1]);
    await store.adjust([-1 * hour]);
    assert.deepEqual(await hoursOf(store, [1]), [1]);
  },
  'what is given back makes no bucket more than full': async (store) => {
    await hoursOf(store, [1]);
    await store.adjust([-100 * hour]);
    assert.deepEqual(await hoursOf(store, [1], [1], [1], [1]), [0, 0, 0, 1]);
  },
  'what a call has cost more is paid by the next ones': async (store) => {
    // Nothing is used by then, to the millisecond.
    await store.reserve({ costsMs: [0.000_1], burstMs: 3 * hour });
    await store.adjust([4 * hour]);
    assert.deepEqual(await hoursOf(store, [1]), [2]);
  },
  'a correction leaves the other rates as they are': async (store) => {
    await hoursOf(store, [3, 3]);
    await store.adjust([0, -2 * hour]);
    assert.deepEqual(await hoursOf(store, [0, 1], [1, 0]), [0, 1]);
  },
  'a correction before the first call is none': async (store) => {
    await store.adjust([-1 * hour]);
    assert.deepEqual(await hoursOf(store, [3]), [0]);
  },
  'a pause holds back what comes after it, and a shorter one does not end it': async (store) => {
    await store.pause(5 * hour);
    await store.pause(2 * hour);
    assert.deepEqual(await hoursOf(store, [1], [1], [1], [1]), [5, 5, 5, 6]);
  },
  'a pause of a limit in use leaves what is used': async (store) => {
    await hoursOf(store, [3], [3]);
    await store.pause(1 * hour);
    assert.deepEqual(await hoursOf(store, [3]), [6]);
  },
  'processes that ask at the same time get different moments': async (store, open) => {
    const stores = [store, ...Array.from({ length: 3 }, open)];
    const asked = stores.flatMap((one) =>
      Array.from({ length: 10 }, () => one.reserve({ costsMs: [hour], burstMs: 3 * hour })),
    );
    const waits = (await Promise.all(asked)).map(inHours);
    assert.deepEqual(
      waits.toSorted((a, b) => a - b),
      [0, 0, ...Array.from({ length: 38 }, (_, index) => index)],
    );
  },
  'what one process learns holds for the others': async (store, open) => {
    await hoursOf(store, [3]);
    await open().adjust([-2 * hour]);
    await open().pause(4 * hour);
    assert.deepEqual(await hoursOf(open(), [1]), [4]);
  },
};

/**
 * Reserves for calls of these costs, one after the other, with a burst of three hours. Answers with their waits. Unit:
 * hours.
 */
async function hoursOf(store: RateLimitStore, ...calls: readonly (readonly number[])[]): Promise<readonly number[]> {
  const waits: number[] = [];
  for (const costs of calls) {
    waits.push(inHours(await store.reserve({ costsMs: costs.map((cost) => cost * hour), burstMs: 3 * hour })));
  }
  return waits;
}

/** Returns a time of the test. The time that the test has taken is not counted. */
function inHours(ms: number): number {
  assert.ok(ms >= 0, `A wait of ${ms} ms`);
  return Math.max(0, Math.ceil(ms / hour - 0.000_001));
}
