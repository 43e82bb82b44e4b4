import type { Event, EventLog } from '@palimpsest/events';

/**
 * The events of a log from an index on, those that are still to come too, until the signal is aborted. It reads from the log
 * itself, so a reader that is slow holds up nobody and misses nothing.
 */
export async function* eventStream(
  log: EventLog,
  options: { readonly from: number; readonly signal: AbortSignal | undefined },
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
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
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
