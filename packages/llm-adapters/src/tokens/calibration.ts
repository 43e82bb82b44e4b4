import type { TokenCounter } from './token-counter.js';
import { safeCounter } from './token-counter.js';

/** What was counted before a call and what the provider then reported of it. Unit: tokens of input. */
export interface CountedCall {
  readonly counted: number;
  /** Cached or not: `totalInputTokens(usage)`. */
  readonly reported: number;
}

/** Options of {@link calibrationFactor}. */
export interface CalibrationOptions {
  /** How many of the last calls count. @defaultValue 5 */
  readonly lastCalls?: number;
}

/** Beyond this a report is about something else than was counted: a history that a server cut, a proxy that counts anew. */
const mostFactor = 4;

/**
 * By what a count must be multiplied to meet what the provider reports: the sum of the reports over that of the counts, of the
 * last calls. 1 where there are none. Calls that cannot tell are left out: with no count, no report, or more than four times
 * apart. A pure function of the calls, so replay gives the same factor.
 *
 * @throws RangeError when `lastCalls` is not a whole number above 0.
 */
export function calibrationFactor(calls: readonly CountedCall[], { lastCalls = 5 }: CalibrationOptions = {}): number {
  if (!Number.isInteger(lastCalls) || lastCalls < 1) throw new RangeError('lastCalls must be a whole number above 0');
  const telling = calls.filter(({ counted, reported }) => {
    const factor = reported / counted;
    return counted > 0 && reported > 0 && factor <= mostFactor && factor >= 1 / mostFactor;
  });
  const last = telling.slice(-lastCalls);
  if (last.length === 0) return 1;
  const sum = (of: (call: CountedCall) => number) => last.reduce((total, call) => total + of(call), 0);
  return sum(({ reported }) => reported) / sum(({ counted }) => counted);
}

/** A counter whose counts are multiplied by the {@link calibrationFactor} of earlier calls, rounded up. */
export function calibrated(
  counter: TokenCounter,
  calls: readonly CountedCall[],
  options: CalibrationOptions = {},
): TokenCounter {
  const factor = calibrationFactor(calls, options);
  return safeCounter(counter.name, (request) => Math.ceil(counter.count(request) * factor));
}
