import type { Event } from '@palimpsest/events';
import { addFeatureCounts } from './log-features.js';
import type { FeatureCounts } from './log-features.js';
import { randomLog } from './random-log.js';
import type { RandomLogOptions } from './random-log.js';
import { describeLog, smallestLog } from './smallest-log.js';

/** Checks random logs, makes failing ones small, and knows what was in all of them. */
export class LogTally {
  readonly #counts: FeatureCounts[] = [];

  /** Checks one log; a failure tells the smallest part of it that still fails, event by event. */
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

  /** How many logs were checked, and how often each thing stood in them. */
  report(): string {
    const all = Object.entries(addFeatureCounts(this.#counts)).map(([feature, count]) => `${feature} ${count}`);
    return `${this.#counts.length} logs: ${all.join(', ')}`;
  }
}
