/** What a call takes of the rates of a limit. */
export interface RateCharge {
  /**
   * For each rate, the time in which what the call takes has come back; 0 if the call takes nothing of it. The places are the same
   * for every call. Unit: milliseconds.
   */
  readonly costsMs: readonly number[];
  /** How much may be taken at once, as the time in which it has come back. Unit: milliseconds. */
  readonly burstMs: number;
}

/**
 * Where a {@link RateLimit} keeps what is used up: one store is one limit. {@link memoryRateLimitStore} keeps it in the process,
 * `postgresRateLimitStore` of `@palimpsest/postgres` for all processes that share a database.
 *
 * A rate is a bucket (GCRA): it is full at a time that each charge moves on by its cost. A charge that fits into what may be taken at
 * once needs that much room; a larger one needs a full bucket.
 */
export interface RateLimitStore {
  /**
   * Charges a call to the next moment at which it may be sent. Answers with the time until then, 0 for now. That moment does not change
   * whoever comes later, so nobody waits for ever. Unit: milliseconds.
   */
  reserve(charge: RateCharge): Promise<number>;
  /**
   * Changes what was charged, as soon as more is known: less than 0 gives back. No bucket becomes more than full. Unit: milliseconds
   * for each rate, as in {@link RateCharge.costsMs}.
   */
  adjust(changesMs: readonly number[]): Promise<void>;
  /** No charge from now on gets a moment before that time has passed. A shorter pause does not end a longer one. Unit: milliseconds. */
  pause(ms: number): Promise<void>;
}

/** Options of {@link memoryRateLimitStore}. */
export interface MemoryRateLimitStoreOptions {
  /** A clock that never goes back. Unit: milliseconds. @defaultValue `performance.now` */
  readonly now?: () => number;
}

/** A {@link RateLimitStore} for one process. */
export function memoryRateLimitStore({
  now = () => performance.now(),
}: MemoryRateLimitStoreOptions = {}): RateLimitStore {
  let fullAt: readonly number[] = [];
  let closedUntil = -Infinity;
  const fullAtOf = (rate: number) => fullAt[rate] ?? -Infinity;
  return {
    async reserve({ costsMs, burstMs }) {
      const clock = now();
      const opensAt = costsMs.map((cost, rate) =>
        cost > 0 ? fullAtOf(rate) - Math.max(burstMs - cost, 0) : -Infinity,
      );
      const moment = Math.max(clock, closedUntil, ...opensAt);
      fullAt = costsMs.map((cost, rate) => (cost > 0 ? Math.max(fullAtOf(rate), moment) + cost : fullAtOf(rate)));
      return moment - clock;
    },
    async adjust(changesMs) {
      const clock = now();
      fullAt = changesMs.map((change, rate) =>
        change > 0 ? Math.max(fullAtOf(rate), clock) + change : fullAtOf(rate) + change,
      );
    },
    async pause(ms) {
      closedUntil = Math.max(closedUntil, now() + ms);
    },
  };
}
