import { CondenserModelError } from './model-failure.js';

/** A timer that is set to more fires at once. Unit: milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** How long some work may take. */
export interface Deadline {
  /** Unit: milliseconds. */
  readonly timeoutMs: number;
  /** Ends it too. */
  readonly signal?: AbortSignal | undefined;
  /** Whose work it is, for the record. */
  readonly model: string | undefined;
}

/**
 * What some work gives, if it comes in time. It is left alone at the deadline, and when the caller aborts, though it may ignore
 * the signal that it is given.
 *
 * @throws {@link CondenserModelError} of kind `timeout` at the deadline; the signal's reason when the caller aborts; else what
 *   the work throws.
 */
export async function withinDeadline<Result>(
  { timeoutMs, signal, model }: Deadline,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const call = new AbortController();
  const late = new CondenserModelError('timeout', `there was no answer within ${timeoutMs} ms`, {
    account: { model },
    // Asked again it would keep the user waiting again.
    mayRetry: false,
  });
  const timer = setTimeout(() => call.abort(late), Math.min(timeoutMs, longestTimer));
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
