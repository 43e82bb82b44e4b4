import type { CutPoints, View } from '@palimpsest/view';
import { usualProgress } from './progress.js';
import type { Requirement } from './requirement.js';

/** A range of a stored list between two cut points. */
export interface Selection {
  readonly start: number;
  /** The index after the last event. */
  readonly end: number;
}

/**
 * Selects the middle of a list: the events between the first `keepFirst` and the last `tail`. Both ends move forward to the next
 * cut point. Undefined if the selection is empty or below the minimum.
 *
 * @see LLMSummarizingCondenser of OpenHands' software-agent-sdk at 611629e6 for the arithmetic
 */
export function selectMiddle(options: {
  /** Unit: events. */
  readonly length: number;
  readonly cutPoints: Pick<CutPoints, 'atOrAfter'>;
  /** Unit: events. */
  readonly keepFirst: number;
  /** Unit: events. A negative number selects nothing. */
  readonly tail: number;
  /** The smallest selection. Unit: share of all events. @defaultValue 0.1 */
  readonly minProgress?: number | undefined;
}): Selection | undefined {
  const { length, cutPoints, keepFirst, tail, minProgress = usualProgress } = options;
  const start = cutPoints.atOrAfter(keepFirst);
  const end = tail < 0 ? undefined : cutPoints.atOrAfter(Math.max(0, length - tail));
  if (start === undefined || end === undefined || end <= start) return undefined;
  return end - start < length * minProgress ? undefined : { start, end };
}

/** The number of newest events that may stay so that `target` remain: the first ones, one summary, and these. Unit: events. */
export function tailForSize(target: number, keepFirst: number): number {
  return target - keepFirst - 1;
}

/**
 * The number of newest events that may stay so that more than `excess` tokens are removed: all events after the shortest run that
 * starts behind the first `keepFirst` and holds more than `excess`. Unit: events.
 */
export function tailForTokens(options: {
  /** Unit: events. */
  readonly length: number;
  /** Unit: events. */
  readonly keepFirst: number;
  /** Unit: tokens. */
  readonly excess: number;
  /** Tokens of the events from one index to another. */
  readonly tokens: (from: number, to: number) => number;
}): number {
  const { length, keepFirst, excess, tokens } = options;
  const behindHead = Math.max(0, length - keepFirst);
  if (behindHead === 0 || excess <= 0) return behindHead;
  let low = 1;
  let high = behindHead;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (tokens(keepFirst, keepFirst + middle) > excess) high = middle;
    else low = middle + 1;
  }
  return behindHead - low;
}

/**
 * The number of newest events that may stay, by the strictest of the reasons: half of `maxSize` for too many events, half of the
 * budget for too many tokens, half of the events for a request. Negative if the first events alone are too many.
 */
export function strictestTail(options: {
  readonly requirement: Pick<Requirement, 'reasons' | 'tokenBudget'>;
  /** Unit: events. */
  readonly length: number;
  /** Unit: events. */
  readonly maxSize: number;
  /** Unit: events. */
  readonly keepFirst: number;
  /** Tokens of the events from one index to another. @defaultValue all of them */
  readonly tokens: (from?: number, to?: number) => number;
}): number {
  const { requirement, length, maxSize, keepFirst, tokens } = options;
  const tails = requirement.reasons.map((reason) => {
    switch (reason) {
      case 'events':
        return tailForSize(Math.floor(maxSize / 2), keepFirst);
      case 'request':
        return tailForSize(Math.floor(length / 2), keepFirst);
      case 'tokens': {
        const excess = tokens() - Math.floor((requirement.tokenBudget ?? 0) / 2);
        return tailForTokens({ length, keepFirst, excess, tokens });
      }
    }
  });
  return Math.min(length, ...tails);
}

/**
 * The number of first events that stay: `keepFirst`, or fewer if a summary is among them. That summary is then replaced like any
 * other, so that there is only one. Costs O(keepFirst).
 */
export function firstSummary(events: View['events'], keepFirst: number): number {
  const first = events.slice(0, keepFirst).findIndex(({ type }) => type === 'condensation-summary');
  return first === -1 ? keepFirst : first;
}
