import { ServiceUnavailableError } from './errors.js';

/** What a timer takes; a longer time would be none at all. Unit: milliseconds. */
export const longestTimeoutMs = 2_147_000_000;

/**
 * Ends an attempt whose server is silent for too long; `heard` starts the time again. The signal that the attempt gets aborts
 * then, and with the caller's.
 *
 * @throws {@link ServiceUnavailableError} after the silence, whatever the attempt makes of the abort.
 */
export async function endAfterSilence<Answer>(
  { timeoutMs, signal, provider }: { timeoutMs: number; signal: AbortSignal | undefined; provider: string },
  attempt: (signal: AbortSignal, heard: () => void) => Promise<Answer>,
): Promise<Answer> {
  const silence = new AbortController();
  const timedOut = new ServiceUnavailableError(`${provider}: no answer within ${timeoutMs} ms`, { provider });
  const start = () => setTimeout(() => silence.abort(timedOut), timeoutMs);
  let timer = start();
  const heard = () => {
    clearTimeout(timer);
    timer = start();
  };
  try {
    return await attempt(signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]), heard);
  } catch (thrown) {
    throw silence.signal.aborted ? timedOut : thrown;
  } finally {
    clearTimeout(timer);
  }
}
