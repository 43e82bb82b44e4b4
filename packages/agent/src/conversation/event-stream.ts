import type { Event, EventLog } from '@palimpsest/events';

/** How often a waiting reader looks for events of other processes. Unit: milliseconds. */
const pollMs = 500;

/**
 * Yields the events of a log from an index on, and new events as they come, until the signal is aborted. It reads from the
 * log itself, so a slow reader delays nobody and misses nothing. A waiting reader looks in the log's store, if there is one,
 * for events that other processes have appended.
 */
export async function* eventStream(
  log: EventLog,
  options: { readonly from: number; readonly isStored: boolean; readonly signal: AbortSignal | undefined },
): AsyncGenerator<Event, void, undefined> {
  const { signal } = options;
  let wake: (() => void) | undefined;
  const wakeUp = (): void => wake?.();
  const stop = log.observe(wakeUp);
  signal?.addEventListener('abort', wakeUp);
  try {
    for (let index = options.from; signal?.aborted !== true;) {
      const event = log.at(index);
      if (event === undefined) {
        const woken = new Promise<void>((resolve) => (wake = resolve));
        const timer = options.isStored ? setTimeout(wakeUp, pollMs) : undefined;
        // Waiting alone does not keep the process alive.
        (timer as { unref?: () => void } | undefined)?.unref?.();
        await woken;
        clearTimeout(timer);
        if (log.at(index) === undefined) await log.catchUp();
      } else {
        index++;
        yield event;
      }
    }
  } finally {
    stop();
    signal?.removeEventListener('abort', wakeUp);
  }
}
