import * as z from 'zod/mini';
import { optionIssue, wholeNumber } from './option-schemas.js';
import type { OptionsCheck } from './option-schemas.js';

/** The triggers of a rolling condenser, and how much it keeps. */
export interface SizeOptions {
  /** A view with more events is condensed to half of this number. Unit: events. @defaultValue 120 */
  readonly maxSize?: number | undefined;
  /** The number of first events that stay. Unit: events. @defaultValue 4, or fewer if `maxSize` leaves less room */
  readonly keepFirst?: number | undefined;
  /**
   * A view with more tokens is condensed to half of this number. Unit: tokens. @defaultValue the room in the model's window, if
   * known
   */
  readonly maxTokens?: number | undefined;
}

/** The room that half of `maxSize` leaves behind the first events. */
type Behind = 'an event' | 'a summary and an event';

/**
 * The schemas of {@link SizeOptions}. `keepFirst` is used with {@link roomBehindFirst}, and without a value with {@link
 * usualFirst}.
 */
export function sizeOptions(leastSize: number): {
  readonly maxSize: z.ZodMiniDefault<z.ZodMiniNumberFormat>;
  readonly keepFirst: z.ZodMiniOptional<z.ZodMiniNumberFormat>;
  readonly maxTokens: z.ZodMiniOptional<z.ZodMiniNumberFormat>;
} {
  return {
    maxSize: z._default(wholeNumber(leastSize), 120),
    keepFirst: z.optional(wholeNumber(0)),
    maxTokens: z.optional(wholeNumber(1)),
  };
}

/** Checks that half of `maxSize` has room for the first events and for the events behind them. */
export function roomBehindFirst(behind: Behind): OptionsCheck {
  return ({ value, issues }) => {
    const { maxSize = 0, keepFirst = 0 } = value as SizeOptions;
    const most = mostFirst(maxSize, behind);
    if (keepFirst <= most) return;
    const least = 2 * (keepFirst + placesFor(behind));
    const reason = `so that half of it has room for ${behind} too; ${keepFirst} needs a 'maxSize' of at least ${least}`;
    issues.push(
      optionIssue('keepFirst', `may be at most ${most} with a 'maxSize' of ${maxSize}, ${reason}`, keepFirst),
    );
  };
}

/** The default number of first events that stay: 4, or fewer if `maxSize` leaves less room. Unit: events. */
export function usualFirst(maxSize: number, behind: Behind): number {
  return Math.min(4, mostFirst(maxSize, behind));
}

function mostFirst(maxSize: number, behind: Behind): number {
  return Math.floor(maxSize / 2) - placesFor(behind);
}

function placesFor(behind: Behind): number {
  return behind === 'an event' ? 1 : 2;
}
