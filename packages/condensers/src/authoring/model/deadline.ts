import { CondenserModelError } from './model-failure.js';

/** A timer with a longer delay fires immediately. Unit: milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** The time limit of some work. */
export interface Deadline {
  /** Unit: milliseconds. */
  readonly timeoutMs: number;
  /** An abort of this signal also ends the work. */
  readonly signal?: AbortSignal | undefined;
  /** The name of the work's owner, for the error. */
  readonly model: string | undefined;
}

/**
 * Returns the result of some work if it arrives before the deadline. At the deadline, or when the caller aborts, the work is
 * abandoned, even if it ignores its signal.
 *
 * @throws {@link CondenserModelError} of kind `timeout` at the deadline; the signal's reason when the caller aborts; otherwise
 *   the work's own error.
 */
export async function withinDeadline<Result>(
  { timeoutMs, signal, model }: Deadline,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const call = new AbortController();
  const timer = setTimeout(() => call.abort(tooLate(timeoutMs, model)), Math.min(timeoutMs, longestTimer));
  const passOn = (): void => call.abort(signal?.reason);
  signal?.addEventListener('abort', passOn, { once: true });
  try {
    const stopped = new Promise<never>((_, reject) => {
      call.signal.addEventListener('abort', () => reject(call.signal.reason as Error), { once: true });
    });
    return await Promise.race([work(call.signal), stopped]);
  } catch (error) {
    throw call.signal.aborted ? call.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', passOn);
  }
}

function tooLate(timeoutMs: number, model: string | undefined): CondenserModelError {
  return new CondenserModelError('timeout', `there was no answer within ${timeoutMs} ms`, {
    account: { model },
    // A retry would make the user wait again.
    mayRetry: false,
  });
}
