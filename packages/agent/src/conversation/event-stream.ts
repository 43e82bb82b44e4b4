import type { Event, EventLog } from '@palimpsest/events';

/** How soon what other processes append is seen. Unit: milliseconds. */
const pollMs = 500;

/**
 * The events of a log from an index on, those that are still to come too, until the signal is aborted. It reads from the log
 * itself, so a reader that is slow holds up nobody and misses nothing. A reader that waits looks for what other processes have
 * appended to the store, where the log has one.
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
        // Who only waits for others keeps no process alive.
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
