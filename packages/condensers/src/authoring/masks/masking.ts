import type { CreateEvent } from '@palimpsest/events';
import type { Condenser, View } from '@palimpsest/view';
import * as z from 'zod/mini';
import { flag, nonBlankText, optionIssue, wholeNumber } from '../options/option-schemas.js';
import type { OptionsCheck } from '../options/option-schemas.js';
import { batchedMasks } from './batched-masks.js';
import type { AttentionWindow, MaskRule } from './masks.js';
import { rollingMasks } from './rolling-masks.js';

/** When masks are made, and what stands in the place of what is masked. */
export interface MaskOptions {
  /** Stands in the place of each text that is masked, such as `<MASKED>`. @defaultValue a line that says what was there */
  readonly placeholder?: string | undefined;
  /**
   * Old texts are masked, all at once, when that saves so much; no more than a tenth of the model's window, where that is
   * known. Not with `rewritesEveryStep`. Unit: tokens. @defaultValue 8000
   */
  readonly minSavedTokens?: number | undefined;
  /**
   * Masks each text as soon as it leaves the window, in the view alone: nothing goes on record, requests are left to others,
   * and each step rewrites what a provider has cached. For models without a prompt cache. @defaultValue false
   */
  readonly rewritesEveryStep?: boolean | undefined;
}

/** The schemas of {@link MaskOptions}, and of an `attentionWindow` of this size. Goes with {@link batchesOrEveryStep}. */
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

/** Checks that nobody expects batches of a condenser that masks at each step. */
export const batchesOrEveryStep: OptionsCheck = ({ value, issues }) => {
  const { rewritesEveryStep, minSavedTokens } = value as MaskOptions;
  if (rewritesEveryStep !== true || minSavedTokens === undefined) return;
  const reason = "is the size of a batch, and with 'rewritesEveryStep' there are none: leave one of the two out";
  issues.push(optionIssue('minSavedTokens', reason, minSavedTokens));
};

/** What {@link maskingCondenser} masks, when, and under which name. */
export interface MaskingOptions {
  readonly name: string;
  readonly rule: MaskRule;
  /** Before it masks may stand. None touches the newest step, which need not lie in it. */
  readonly windowOf: (view: View) => AttentionWindow;
  /** Unit: tokens. @defaultValue 8000 */
  readonly minSavedTokens?: number | undefined;
  /** Masks anew at each step instead of in batches. @defaultValue false */
  readonly rewritesEveryStep?: boolean | undefined;
  readonly createEvent?: CreateEvent | undefined;
}

/**
 * A condenser that masks what has left the attention window: in batches, each of which is a condensation, or anew at each step, in
 * the view alone. What is pinned, calls without a result and the newest step stay.
 *
 * @throws `condense` throws {@link NoCondensationAvailableError} when a condensation was asked for and masking would save too little.
 */
export function maskingCondenser(options: MaskingOptions): Condenser {
  const { name, rule, windowOf, minSavedTokens = 8_000, createEvent } = options;
  return options.rewritesEveryStep === true
    ? rollingMasks({ name, rule, windowOf })
    : batchedMasks({ name, rule, windowOf, minSavedTokens, createEvent });
}
