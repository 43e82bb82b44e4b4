import type { TokenCounter } from './token-counter.js';
import { safeCounter } from './token-counter.js';

/** The count before a call and the provider's report after it. Unit: tokens of input. */
export interface CountedCall {
  readonly counted: number;
  /** Cached or not: `totalInputTokens(usage)`. */
  readonly reported: number;
}

/** Options of {@link calibrationFactor}. */
export interface CalibrationOptions {
  /** The number of latest calls that are used. @defaultValue 5 */
  readonly lastCalls?: number;
}

/**
 * The largest plausible ratio. Beyond it the report does not belong to the counted request: the server cut the history, or a
 * proxy counted differently.
 */
const mostFactor = 4;

/**
 * Returns the factor between counts and the provider's reports: the sum of the reports of the last calls divided by the
 * sum of their counts. 1 if there are no calls. Unusable calls are left out: without a count, without a report, or with
 * a ratio above four. A pure function of the calls, so replay gives the same factor.
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

/** Returns a counter whose counts are multiplied by the {@link calibrationFactor} of earlier calls, rounded up. */
export function calibrated(
  counter: TokenCounter,
  calls: readonly CountedCall[],
  options: CalibrationOptions = {},
): TokenCounter {
  const factor = calibrationFactor(calls, options);
  return safeCounter(counter.name, (request) => Math.ceil(counter.count(request) * factor));
}
