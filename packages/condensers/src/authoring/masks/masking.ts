import type { CreateEvent } from '@palimpsest/events';
import type { Condenser, View } from '@palimpsest/view';
import * as z from 'zod/mini';
import { flag, nonBlankText, optionIssue, wholeNumber } from '../options/option-schemas.js';
import type { OptionsCheck } from '../options/option-schemas.js';
import { batchedMasks } from './batched-masks.js';
import type { AttentionWindow, MaskRule } from './masks.js';
import { rollingMasks } from './rolling-masks.js';

/** When masks are made, and which text replaces the masked one. */
export interface MaskOptions {
  /** The replacement for each masked text, such as `<MASKED>`. @defaultValue a line that describes the masked text */
  readonly placeholder?: string | undefined;
  /**
   * Masks all old texts at once when the masks save this many tokens. If the model's window is known, the threshold is at most a
   * tenth of it. Not with `rewritesEveryStep`. Unit: tokens. @defaultValue 8000
   */
  readonly minSavedTokens?: number | undefined;
  /**
   * Masks each text in the view as soon as it leaves the window. The log records nothing, requests are left to other condensers,
   * and each step rewrites the provider's cached prefix. Warning: with a prompt cache it saves less than batches do, and where cached
   * tokens are cheap it costs more than doing nothing. For models without a prompt cache. @defaultValue false
   */
  readonly rewritesEveryStep?: boolean | undefined;
}

/** The schemas of {@link MaskOptions}, and of an `attentionWindow` of this size. Used with {@link batchesOrEveryStep}. */
export function maskOptions(attentionWindow: number): {
  readonly attentionWindow: z.ZodMiniDefault<z.ZodMiniNumberFormat>;
  readonly placeholder: z.ZodMiniOptional<z.ZodMiniString<string>>;
  readonly minSavedTokens: z.ZodMiniOptional<z.ZodMiniNumberFormat>;
  readonly rewritesEveryStep: z.ZodMiniDefault<z.ZodMiniBoolean<boolean>>;
} {
  return {
    attentionWindow: z._default(wholeNumber(0), attentionWindow),
    placeholder: z.optional(nonBlankText()),
    minSavedTokens: z.optional(wholeNumber(1)),
    rewritesEveryStep: z._default(flag(), false),
  };
}

/** Refuses batch options for a condenser that masks at each step. */
export const batchesOrEveryStep: OptionsCheck = ({ value, issues }) => {
  const { rewritesEveryStep, minSavedTokens } = value as MaskOptions;
  if (rewritesEveryStep !== true || minSavedTokens === undefined) return;
  const reason = "is the size of a batch, and with 'rewritesEveryStep' there are none: leave one of the two out";
  issues.push(optionIssue('minSavedTokens', reason, minSavedTokens));
};

/** The masks of {@link maskingCondenser}, their trigger, and the condenser's name. */
export interface MaskingOptions {
  readonly name: string;
  readonly rule: MaskRule;
  /** The window: events before it may be masked. The newest step is never masked, even if it lies before the window. */
  readonly windowOf: (view: View) => AttentionWindow;
  /** Unit: tokens. @defaultValue 8000 */
  readonly minSavedTokens?: number | undefined;
  /** Masks at each step instead of in batches. @defaultValue false */
  readonly rewritesEveryStep?: boolean | undefined;
  readonly createEvent?: CreateEvent | undefined;
}

/**
 * A condenser that masks events outside the attention window. It masks in batches, one condensation each, or at each step in the
 * view alone. Pinned events, calls without a result and the newest step are not masked.
 *
 * A condenser that masks in batches is a {@link Reducer}. Its estimate is exact and costs O(new events).
 *
 * @throws `condense` throws {@link NoCondensationAvailableError} when a condensation was requested and masking would save too
 *   little.
 */
export function maskingCondenser(options: MaskingOptions): Condenser {
  const { name, rule, windowOf, minSavedTokens = 8_000, createEvent } = options;
  return options.rewritesEveryStep === true
    ? rollingMasks({ name, rule, windowOf })
    : batchedMasks({ name, rule, windowOf, minSavedTokens, createEvent });
}
