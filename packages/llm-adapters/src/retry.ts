import type { FailedAttempt } from './llm.js';
import { ServiceUnavailableError } from './errors.js';
import type { LLMError } from './errors.js';
import { shownAddress } from './http-failure.js';

/** The number of retries of a call and the waits between them. */
export interface RetryOptions {
  /**
   * The number of tries, the first included; with 1 there are no retries. `Infinity`: only the time is limited.
   * @defaultValue 3
   */
  readonly attempts?: number;
  /** No try begins later than this after the first failure. Unit: milliseconds. @defaultValue `Infinity` */
  readonly maxTotalMs?: number;
  /** The longest wait before the second try; doubled before each further one. Unit: milliseconds. @defaultValue 1,000 */
  readonly minDelayMs?: number;
  /** The upper bound of waits that the provider did not ask for. Unit: milliseconds. @defaultValue 30,000 */
  readonly maxDelayMs?: number;
  /**
   * The longest wait that a provider may ask for. If it asks for more, the call ends at once with the provider's error, which
   * carries `retryAfterMs`. Unit: milliseconds. @defaultValue 60,000
   */
  readonly maxRetryAfterMs?: number;
  /**
   * Called before each wait with the failure that is retried. If it returns a promise, the next try waits for that,
   * too. An error that it throws or rejects with ends the call.
   */
  readonly onRetry?: (failure: FailedAttempt) => unknown;
}

const defaults = { attempts: 3, maxTotalMs: Infinity, minDelayMs: 1_000, maxDelayMs: 30_000, maxRetryAfterMs: 60_000 };

/** Describes the first option whose number is invalid; undefined if all are valid. */
export function retryOptionsProblem({ attempts = 1, ...delays }: RetryOptions): string | undefined {
  if (attempts !== Infinity && (!Number.isInteger(attempts) || attempts < 1)) {
    return `retry.attempts must be a whole number above 0, not ${attempts}`;
  }
  const { maxTotalMs = 0, minDelayMs = 0, maxDelayMs = 0, maxRetryAfterMs = 0 } = delays;
  for (const [name, delay] of Object.entries({ maxTotalMs, minDelayMs, maxDelayMs, maxRetryAfterMs })) {
    if (!(delay >= 0)) return `retry.${name} must not be below 0, but is ${delay}`;
  }
  return undefined;
}

/**
 * Repeats a call until it succeeds, fails with an error that is not retryable, or has no tries or no time left. Then it throws
 * the last error. Between tries it waits a random time up to a bound that doubles (full jitter), and at least as long as the
 * provider asks.
 *
 * No library does this: p-retry's wait ignores the time that the provider asks for, and cockatiel's wait cannot be
 * aborted. The maintained versions of both need Node 22.
 *
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ for full jitter
 */
export async function withRetries<Result>(
  options: RetryOptions,
  call: {
    readonly attempt: () => Promise<Result>;
    /** Returns the error if another try may help. Any other error ends the call. */
    readonly retryable: (thrown: unknown) => LLMError | undefined;
    readonly signal?: AbortSignal | undefined;
    /** Returns a number from 0 (inclusive) to 1 (exclusive). @defaultValue Math.random */
    readonly random?: () => number;
    /** Unit: milliseconds. @defaultValue the clock of the process */
    readonly now?: () => number;
  },
): Promise<Result> {
  const { attempts, maxTotalMs, minDelayMs, maxDelayMs, maxRetryAfterMs } = { ...defaults, ...options };
  const { random = Math.random, now = () => performance.now(), signal } = call;
  let firstFailure: number | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await call.attempt();
    } catch (thrown) {
      signal?.throwIfAborted();
      const error = call.retryable(thrown);
      if (error === undefined || attempt >= attempts) throw thrown;
      const failedAt = now();
      firstFailure ??= failedAt;
      const remainingMs = Math.min(maxTotalMs, error.maxRetryMs ?? Infinity) - Math.round(failedAt - firstFailure);
      const { retryAfterMs: asked = 0 } = error;
      if (remainingMs <= 0 || asked > Math.min(maxRetryAfterMs, remainingMs)) throw thrown;
      const own = Math.floor(random() * Math.min(maxDelayMs, minDelayMs * 2 ** (attempt - 1)));
      // The last try is at the end of the time.
      const delayMs = Math.min(Math.max(asked, own), remainingMs);
      const limited = remainingMs === Infinity ? {} : { remainingMs };
      await options.onRetry?.({ attempt, attempts, ...limited, error, delayMs });
      await wait(Math.max(0, delayMs - (now() - failedAt)), signal);
    }
  }
}

/** Rejects with the signal's reason as soon as it aborts. */
export async function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const abort = () => {
      end();
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is whatever the caller gave
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      end();
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The longest delay that a timer accepts; a longer one would fire at once. Unit: milliseconds. */
export const longestTimeoutMs = 2_147_000_000;

/**
 * Ends an attempt if the server is silent for too long; `onActivity` restarts the timer. The attempt's signal aborts
 * when the timer fires and when the caller's signal aborts.
 *
 * @throws {@link ServiceUnavailableError} after the silence, however the attempt reacts to the abort.
 */
export async function endAfterSilence<Answer>(
  options: { timeoutMs: number; signal: AbortSignal | undefined; provider: string; baseURL: string },
  attempt: (signal: AbortSignal, onActivity: () => void) => Promise<Answer>,
): Promise<Answer> {
  const { timeoutMs, signal, provider, baseURL } = options;
  const silence = new AbortController();
  const message = `${provider}: no answer within ${timeoutMs} ms from ${shownAddress(baseURL)}`;
  const timedOut = new ServiceUnavailableError(message, { provider });
  const start = () => setTimeout(() => silence.abort(timedOut), timeoutMs);
  let timer = start();
  const onActivity = () => {
    clearTimeout(timer);
    timer = start();
  };
  try {
    return await attempt(signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]), onActivity);
  } catch (thrown) {
    throw silence.signal.aborted ? timedOut : thrown;
  } finally {
    clearTimeout(timer);
  }
}
