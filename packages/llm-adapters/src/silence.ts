import { ServiceUnavailableError } from './errors.js';
import { shownAddress } from './shown-address.js';

/** The longest delay that a timer accepts; a longer one would fire at once. Unit: milliseconds. */
export const longestTimeoutMs = 2_147_000_000;

/**
 * Ends an attempt if the server is silent for too long; `heard` restarts the timer. The attempt's signal aborts when the timer
 * fires and when the caller's signal aborts.
 *
 * @throws {@link ServiceUnavailableError} after the silence, however the attempt reacts to the abort.
 */
export async function endAfterSilence<Answer>(
  options: { timeoutMs: number; signal: AbortSignal | undefined; provider: string; baseURL: string },
  attempt: (signal: AbortSignal, heard: () => void) => Promise<Answer>,
): Promise<Answer> {
  const { timeoutMs, signal, provider, baseURL } = options;
  const silence = new AbortController();
  const message = `${provider}: no answer within ${timeoutMs} ms from ${shownAddress(baseURL)}`;
  const timedOut = new ServiceUnavailableError(message, { provider });
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
