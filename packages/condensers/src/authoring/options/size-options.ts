import * as z from 'zod/mini';
import { optionIssue, wholeNumber } from './option-schemas.js';
import type { OptionsCheck } from './option-schemas.js';

/** When a rolling condenser acts, and how much it leaves. */
export interface SizeOptions {
  /** More events than this are condensed to half of it. Unit: events. @defaultValue 120 */
  readonly maxSize?: number | undefined;
  /** How many of the first events stay. Unit: events. @defaultValue 4, or what `maxSize` leaves room for */
  readonly keepFirst?: number | undefined;
  /** More tokens than this are condensed to half of it. Unit: tokens. @defaultValue what the model's window leaves, if known */
  readonly maxTokens?: number | undefined;
}

/** What half of `maxSize` has room for behind the first events. */
type Behind = 'an event' | 'a summary and an event';

/** The schemas of {@link SizeOptions}. `keepFirst` goes with {@link roomBehindFirst}, and without a value with {@link usualFirst}. */
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

/** Checks that half of `maxSize` has room for the first events and for what stands behind them. */
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

/** How many of the first events stay where nothing is said: 4, or what `maxSize` leaves room for. Unit: events. */
export function usualFirst(maxSize: number, behind: Behind): number {
  return Math.min(4, mostFirst(maxSize, behind));
}

function mostFirst(maxSize: number, behind: Behind): number {
  return Math.floor(maxSize / 2) - placesFor(behind);
}

function placesFor(behind: Behind): number {
  return behind === 'an event' ? 1 : 2;
}
