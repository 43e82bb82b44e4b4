import { ConversationBusyError, EventStoreError, WriterOustedError } from '@palimpsest/events';
import { LLMError } from '@palimpsest/llm-adapters';
import { ConversationRunError } from '../errors.js';

/** The reason why a run is tried again: another process holds the conversation, or its store or its model failed for now. */
export type RetryReason =
  | { readonly reason: 'busy' | 'store' }
  | { readonly reason: 'provider'; readonly provider: string; readonly retryAfterMs: number | undefined };

/** Returns why a run that failed may succeed later; undefined when it never will. */
export function retryReason(error: unknown): RetryReason | undefined {
  if (isOf(error, [ConversationBusyError, WriterOustedError])) return { reason: 'busy' };
  const cause = ConversationRunError.isInstance(error) ? error.cause : error;
  // What is stored and cannot be read stays so.
  if (EventStoreError.isInstance(cause)) return cause.isRetryable ? { reason: 'store' } : undefined;
  if (LLMError.isInstance(cause) && cause.isRetryable)
    return { reason: 'provider', provider: cause.provider, retryAfterMs: cause.retryAfterMs };
  return undefined;
}

/** Reports whether the error, or the reason of a run that failed, is one of these. */
export function isOf(error: unknown, types: readonly { isInstance(value: unknown): boolean }[]): boolean {
  const reason = ConversationRunError.isInstance(error) ? error.cause : error;
  return types.some((type) => type.isInstance(reason));
}

/** The longest time between two tries. Unit: milliseconds. */
const longestMs = { busy: 10_000, store: 300_000, provider: 300_000 } as const;

/**
 * Returns the time until the next try: doubled with each failure up to a bound, of which a random half is taken, and at least what the
 * provider asks for. Unit: milliseconds.
 *
 * @param failures - in a row, this one included
 * @param retryMs - the time after the first failure
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ for the random half
 */
export function retryDelayMs(reason: RetryReason, failures: number, retryMs = 1_000, random = Math.random): number {
  const boundMs = Math.min(retryMs * 2 ** Math.min(failures - 1, 30), Math.max(retryMs, longestMs[reason.reason]));
  const delayMs = failures === 1 ? boundMs : boundMs * (0.5 + random() / 2);
  return Math.round(Math.max(delayMs, reason.reason === 'provider' ? (reason.retryAfterMs ?? 0) : 0));
}

/** The failures of a request in a row. */
export interface Failures {
  readonly reason: RetryReason['reason'];
  readonly count: number;
  /** Unit: milliseconds since 1970. */
  readonly since: number;
}

/** Counts a failure. One for another reason begins a new row. */
export function failuresAfter(before: Failures | undefined, reason: RetryReason['reason'], now = Date.now()): Failures {
  return before?.reason === reason ? { ...before, count: before.count + 1 } : { reason, count: 1, since: now };
}

/** Reports whether a request is tried again: a busy conversation always, a store so many times, a model for so long. */
export function isTriedAgain(
  { reason, count, since }: Failures,
  options: { readonly maxStoreRetries?: number; readonly maxRetryAgeMs?: number },
  now = Date.now(),
): boolean {
  const { maxStoreRetries = 60, maxRetryAgeMs = 86_400_000 } = options;
  if (reason === 'store') return count <= maxStoreRetries;
  return reason === 'busy' || now - since < maxRetryAgeMs;
}
