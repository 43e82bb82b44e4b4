import type { Event } from './event.js';
import type { EventReading } from './event-store.js';

/** A reading for a store that provides its events in batches. Each iteration reads the store again. */
export function eventReading(
  batches: () => AsyncIterable<readonly Event[]>,
  signal: AbortSignal | undefined,
): EventReading {
  return {
    batches,
    async *[Symbol.asyncIterator]() {
      for await (const events of batches()) {
        for (const event of events) {
          signal?.throwIfAborted();
          yield event;
        }
      }
    },
  };
}
