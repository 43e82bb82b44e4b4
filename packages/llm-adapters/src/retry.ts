import type { LLMError } from './errors.js';

/** How often and how patiently a call is tried again. */
export interface RetryOptions {
  /** How many tries in all; 1 tries nothing again. @defaultValue 3 */
  readonly attempts?: number;
  /** The longest wait before the second try; doubled before each further one. Unit: milliseconds. @defaultValue 1,000 */
  readonly minDelayMs?: number;
  /** No wait of ours is longer. Unit: milliseconds. @defaultValue 30,000 */
  readonly maxDelayMs?: number;
  /**
   * What a provider may ask to wait; where it asks for more, the call ends with its error, which has `retryAfterMs`, at once.
   * Unit: milliseconds. @defaultValue 60,000
   */
  readonly maxRetryAfterMs?: number;
  /** Told of each failure that another try follows, before the wait. What it throws ends the call. */
  readonly onRetry?: (failure: FailedAttempt) => void;
}

/** A try that failed and that another follows. */
export interface FailedAttempt {
  /** Counted from 1. */
  readonly attempt: number;
  readonly attempts: number;
  readonly error: LLMError;
  /** The wait before the next. Unit: milliseconds. */
  readonly delayMs: number;
}

const defaults = { attempts: 3, minDelayMs: 1_000, maxDelayMs: 30_000, maxRetryAfterMs: 60_000 };

/** Says which of the numbers cannot be meant. */
export function whatIsWrongWith({ attempts = 1, ...delays }: RetryOptions): string | undefined {
  if (!Number.isInteger(attempts) || attempts < 1) {
    return `retry.attempts must be a whole number above 0, not ${attempts}`;
  }
  const { minDelayMs = 0, maxDelayMs = 0, maxRetryAfterMs = 0 } = delays;
  for (const [name, delay] of Object.entries({ minDelayMs, maxDelayMs, maxRetryAfterMs })) {
    if (!(delay >= 0)) return `retry.${name} must not be below 0, but is ${delay}`;
  }
  return undefined;
}

/**
 * Tries until a try succeeds, fails for good, or the last one failed; the last error is thrown. Waits what the provider asks
 * for, else a random time up to a bound that doubles (full jitter).
 *
 * No library does this: p-retry's wait does not know what the provider asked for and cockatiel's cannot be aborted; those
 * of their versions that are still kept need Node 22.
 *
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ for full jitter
 */
export async function withRetries<Result>(
  options: RetryOptions,
  call: {
    readonly attempt: () => Promise<Result>;
    /** The error, when another try may help; anything else ends the call. */
    readonly retryable: (thrown: unknown) => LLMError | undefined;
    readonly signal?: AbortSignal | undefined;
    /** From 0 up to but not 1. @defaultValue Math.random */
    readonly random?: () => number;
  },
): Promise<Result> {
  const { attempts, minDelayMs, maxDelayMs, maxRetryAfterMs } = { ...defaults, ...options };
  const { random = Math.random, signal } = call;
  for (let attempt = 1; ; attempt++) {
    try {
      return await call.attempt();
    } catch (thrown) {
      signal?.throwIfAborted();
      const error = call.retryable(thrown);
      if (error === undefined || attempt >= attempts) throw thrown;
      const asked = error.retryAfterMs;
      if (asked !== undefined && asked > maxRetryAfterMs) throw thrown;
      const delayMs = asked ?? Math.floor(random() * Math.min(maxDelayMs, minDelayMs * 2 ** (attempt - 1)));
      options.onRetry?.({ attempt, attempts, error, delayMs });
      await wait(delayMs, signal);
    }
  }
}

/** Rejects with the signal's reason as soon as it aborts. */
async function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const abort = () => {
      end();
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is whatever the caller gave
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      end();
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
