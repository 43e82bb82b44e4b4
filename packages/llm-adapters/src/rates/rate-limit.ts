import type { RateWait } from '../llm.js';
import { longestTimeoutMs, wait } from '../retry.js';

/** Options of {@link rateLimit}: at least one of the four rates. */
export interface RateLimitOptions {
  /** @defaultValue any number */
  readonly requestsPerMinute?: number;
  /** Input and output together, as OpenAI counts. Unit: tokens. @defaultValue any number */
  readonly tokensPerMinute?: number;
  /** Input, as Anthropic counts. Unit: tokens. @defaultValue any number */
  readonly inputTokensPerMinute?: number;
  /** Output, as Anthropic counts. Unit: tokens. @defaultValue any number */
  readonly outputTokensPerMinute?: number;
  /**
   * The share of a minute's limit that may be used at once. The rest comes evenly over the minute. The smaller, the smoother.
   * @defaultValue 0.1
   */
  readonly burst?: number;
  /** The store of what is used up. @defaultValue in this object: a limit for one process */
  readonly store?: RateLimitStore;
}

/** The part of a limit that a call takes. */
export interface RateCost {
  /** @defaultValue 1 */
  readonly requests?: number;
  /** Unit: tokens. @defaultValue 0 */
  readonly inputTokens?: number;
  /** Unit: tokens. @defaultValue 0 */
  readonly outputTokens?: number;
}

/** The rates of a provider, for everything that shares this object or its store. */
export interface RateLimit {
  /**
   * Waits until a call of this cost may be sent. Calls of one process go in the order in which they ask. A cost above a minute's
   * limit counts as that limit. Such a call waits until nothing is used, and whether it is too large is for the provider to say.
   *
   * @param options - `signal` ends the wait, and what was reserved is given back. `onWait` is told once if there is a wait, and
   *   must not throw
   * @throws RangeError when the cost is no number of 0 or more.
   * @throws the signal's reason, and what the store throws, since without its answer nothing is sent.
   */
  acquire(
    cost: RateCost,
    options?: { readonly signal?: AbortSignal | undefined; readonly onWait?: ((wait: RateWait) => void) | undefined },
  ): Promise<void>;
  /** Replaces the cost that {@link RateLimit.acquire} was told by what the call has really cost. */
  correct(acquired: RateCost, actual: RateCost): Promise<void>;
  /** Lets nothing through for a time, as a provider asks with `retry-after`. Unit: milliseconds. */
  pause(ms: number): Promise<void>;
}

/** A call in the line. */
interface WaitingCall {
  readonly costsMs: readonly number[];
  readonly signal: AbortSignal | undefined;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
  /** Undefined once it was told. */
  onWait: ((wait: RateWait) => void) | undefined;
}

const minuteMs = 60_000;

/**
 * Returns a limit of requests and tokens a minute. In no minute more is let through than the limit, as far as costs were known
 * before. Single calls above the burst are let through when nothing is used, and are paid for afterwards.
 *
 * @throws RangeError when no rate is given, a rate is not above 0, or `burst` is not between 0 and 1.
 */
export function rateLimit(options: RateLimitOptions): RateLimit {
  return new Line(options);
}

/** At most one call of a process has a moment in the future: what a killed process leaves behind is the place of one call. */
class Line implements RateLimit {
  readonly #limits: readonly (number | undefined)[];
  readonly #burst: number;
  readonly #store: RateLimitStore;
  readonly #calls: WaitingCall[] = [];
  #isServing = false;
  /** The time at which the first call may be sent. */
  #firstOpensAt = -Infinity;
  #pausedUntil = -Infinity;

  constructor(options: RateLimitOptions) {
    const { requestsPerMinute, tokensPerMinute, inputTokensPerMinute, outputTokensPerMinute } = options;
    const { burst = 0.1, store = memoryRateLimitStore() } = options;
    const limits = { requestsPerMinute, tokensPerMinute, inputTokensPerMinute, outputTokensPerMinute };
    for (const [name, limit] of Object.entries(limits)) {
      if (limit !== undefined && !(limit > 0 && limit < Infinity)) {
        throw new RangeError(`${name} must be a number above 0, not ${limit}`);
      }
    }
    this.#limits = Object.values(limits);
    if (this.#limits.every((limit) => limit === undefined)) {
      throw new RangeError(`A limit needs at least one of ${Object.keys(limits).join(', ')}`);
    }
    if (!(burst > 0 && burst < 1)) throw new RangeError(`burst must be between 0 and 1, not ${burst}`);
    this.#burst = burst;
    this.#store = store;
  }

  acquire(cost: RateCost, { signal, onWait }: Parameters<RateLimit['acquire']>[1] = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const leave = () => {
        this.#remove(call);
        call.reject(signal?.reason);
      };
      const listening =
        <Argument extends unknown[]>(settle: (...given: Argument) => void) =>
        (...given: Argument) => {
          signal?.removeEventListener('abort', leave);
          settle(...given);
        };
      const call: WaitingCall = {
        costsMs: this.#costsMs(cost),
        signal,
        onWait,
        resolve: listening(resolve),
        reject: listening(reject),
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#tell(call, this.#calls.push(call) - 1);
      void this.#serve();
    });
  }

  async correct(acquired: RateCost, actual: RateCost): Promise<void> {
    const before = this.#costsMs(acquired);
    const changesMs = this.#costsMs(actual).map((cost, rate) => cost - (before[rate] ?? 0));
    if (changesMs.some((change) => change !== 0)) await this.#store.adjust(changesMs);
  }

  async pause(ms: number): Promise<void> {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + ms);
    await this.#store.pause(ms);
  }

  /**
   * Returns a cost as times in which it comes back. What may be used at once and what comes back in a minute are together a
   * minute's limit.
   */
  #costsMs({ requests = 1, inputTokens = 0, outputTokens = 0 }: RateCost): readonly number[] {
    const amounts = [requests, inputTokens + outputTokens, inputTokens, outputTokens];
    return amounts.map((amount, rate) => {
      const limit = this.#limits[rate];
      // It would stay in a store for ever.
      if (!(amount >= 0)) throw new RangeError(`A cost must not be below 0, but is ${amount}`);
      return limit === undefined ? 0 : (Math.min(amount / limit, 1) * minuteMs) / (1 - this.#burst);
    });
  }

  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    for (let call = this.#calls[0]; call !== undefined; call = this.#calls[0]) {
      await this.#letThrough(call);
      this.#remove(call);
    }
    this.#isServing = false;
  }

  async #letThrough(call: WaitingCall): Promise<void> {
    const { costsMs, signal } = call;
    const burstMs = (this.#burst * minuteMs) / (1 - this.#burst);
    let isReserved = false;
    try {
      const waitMs = await this.#store.reserve({ costsMs, burstMs });
      isReserved = true;
      this.#firstOpensAt = performance.now() + waitMs;
      for (let left = waitMs; left > 0; left = this.#leftMs()) {
        for (const [ahead, waiting] of [...this.#calls].entries()) this.#tell(waiting, ahead);
        await wait(Math.min(left, longestTimeoutMs), signal);
      }
      signal?.throwIfAborted();
      call.resolve();
    } catch (error) {
      // Whoever asks next would otherwise wait for a call that is never sent.
      if (isReserved) await this.#store.adjust(costsMs.map((cost) => -cost)).catch(() => undefined);
      call.reject(error);
    }
  }

  #leftMs(): number {
    return Math.max(this.#firstOpensAt, this.#pausedUntil) - performance.now();
  }

  #tell(call: WaitingCall, ahead: number): void {
    const { onWait } = call;
    const waitMs = Math.ceil(this.#leftMs());
    if (onWait === undefined || waitMs <= 0) return;
    call.onWait = undefined;
    onWait({ ahead, waitMs });
  }

  #remove(call: WaitingCall): void {
    const place = this.#calls.indexOf(call);
    if (place >= 0) this.#calls.splice(place, 1);
  }
}

/** The part of a limit's rates that a call takes. */
export interface RateCharge {
  /**
   * For each rate, the time in which what the call takes has come back; 0 if the call takes nothing of it. The places
   * are the same for every call. Unit: milliseconds.
   */
  readonly costsMs: readonly number[];
  /** The part that may be taken at once, as the time in which it has come back. Unit: milliseconds. */
  readonly burstMs: number;
}

/**
 * The store in which a {@link RateLimit} keeps what is used up: one store is one limit. {@link memoryRateLimitStore}
 * keeps it in the process, `postgresRateLimitStore` of `@palimpsest/postgres` for all processes that share a database.
 *
 * A rate is a bucket (GCRA): it is full at a time that each charge moves on by its cost. A charge that fits into what may be
 * taken at once needs that much room. A larger one needs a full bucket.
 */
export interface RateLimitStore {
  /**
   * Charges a call to the next moment at which it may be sent. Answers with the time until then, 0 for now. That moment
   * does not change whoever comes later, so nobody waits for ever. Unit: milliseconds.
   */
  reserve(charge: RateCharge): Promise<number>;
  /**
   * Changes what was charged, as soon as more is known: less than 0 gives back. No bucket becomes more than full. Unit:
   * milliseconds for each rate, as in {@link RateCharge.costsMs}.
   */
  adjust(changesMs: readonly number[]): Promise<void>;
  /**
   * Holds back all charges from now on until that time has passed. A shorter pause does not end a longer one. Unit:
   * milliseconds.
   */
  pause(ms: number): Promise<void>;
}

/** Options of {@link memoryRateLimitStore}. */
export interface MemoryRateLimitStoreOptions {
  /** A clock that never goes back. Unit: milliseconds. @defaultValue `performance.now` */
  readonly now?: () => number;
}

/** Returns a {@link RateLimitStore} for one process. */
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
