import type { Event } from '@palimpsest/events';
import { addFeatureCounts } from './log-features.js';
import type { FeatureCounts } from './log-features.js';
import { randomLog } from './random-log.js';
import type { RandomLogOptions } from './random-log.js';
import { describeLog, smallestLog } from './smallest-log.js';

/** Checks random logs, shrinks failing logs, and counts the features of all logs. */
export class LogTally {
  readonly #counts: FeatureCounts[] = [];

  /** Checks one log. A failure lists the events of the smallest part of the log that still fails. */
  check(
    options: RandomLogOptions,
    check: (events: readonly Event[]) => void,
    prepare: (events: readonly Event[]) => readonly Event[] = (events) => events,
  ): void {
    const { name, events, counts } = randomLog(options);
    this.#counts.push(counts);
    const log = prepare(events);
    try {
      check(log);
    } catch {
      const smallest = smallestLog(log, check);
      try {
        check(smallest);
      } catch (error) {
        throw new Error(`${name}, made small:\n${describeLog(smallest)}\n${String(error)}`, { cause: error });
      }
    }
  }

  /** The number of checked logs, and the count of each feature in them. */
  report(): string {
    const all = Object.entries(addFeatureCounts(this.#counts)).map(([feature, count]) => `${feature} ${count}`);
    return `${this.#counts.length} logs: ${all.join(', ')}`;
  }
}
