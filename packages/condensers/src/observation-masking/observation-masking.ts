import { isErrorResult, isToolResult } from '@palimpsest/events';
import type { ActionEvent, CreateEvent, LLMConvertibleEvent } from '@palimpsest/events';
import type { Condenser, View } from '@palimpsest/view';
import { maskedArguments } from './argument-mask.js';
import { batchedMasks } from '../authoring/masks/batched-masks.js';
import { answeredCall, leastSavedByOne } from '../authoring/masks/masks.js';
import type { AttentionWindow, MaskRule } from '../authoring/masks/masks.js';
import { observationStub } from './observation-stub.js';
import { assertPlaceholder, assertWholeNumber } from '../authoring/options/option-checks.js';
import { remembered } from '../authoring/remembered.js';
import { assertNoBatches, rollingMasks } from '../authoring/masks/rolling-masks.js';

/** Options of {@link observationMaskingCondenser}. */
export interface ObservationMaskingOptions {
  /** How many of the newest events stay as they are. Unit: events, of any type. @defaultValue 24 */
  readonly attentionWindow?: number;
  /**
   * Old results are masked, all at once, when that saves so much; no more than a tenth of the model's window, where that is
   * known. Not with `rewritesEveryStep`. Unit: tokens. @defaultValue 8000
   */
  readonly minSavedTokens?: number;
  /** Masks long texts in the arguments of old calls too (file contents, patches); paths and short texts stay. @defaultValue false */
  readonly maskArguments?: boolean;
  /** Stands in the place of each text that is masked, such as `<MASKED>`. @defaultValue a line that says what was there */
  readonly placeholder?: string;
  /**
   * Masks each result as soon as it leaves the window, in the view alone: nothing goes on record, requests are left to others,
   * and each step rewrites what a provider has cached. For models without a prompt cache. @defaultValue false
   */
  readonly rewritesEveryStep?: boolean;
  /** Makes the condensation. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent;
}

const name = 'observationMasking';

/** A failure of at most this size stays: it says what not to try again. Unit: tokens. */
const keptErrorTokens = 250;

/**
 * Masks old tool results in batches. While little can be saved, the view stays as it is, so that what a provider has cached
 * holds; when the results behind the attention window could save `minSavedTokens`, one condensation masks them all. Calls, ids,
 * positions and the newest step stay. So do calls that have no result yet, results that were masked before, the user's refusals, and failures of up to 250
 * tokens. Each mask is shorter than what it replaces and says what was there.
 *
 * A view that is over the model's budget, or whose condensation was asked for, is urgent: then a tenth of its tokens is
 * enough, and where the attention window holds more than that, everything before the newest step is masked.
 *
 * Why in batches of 8000: changing one old result makes a provider write everything behind it again, at 11 to 24 times the
 * price of reading it (by the price lists of 2026). On eleven long recorded coding sessions, windows of 12 to 40 events and
 * thresholds of 1000 to 32 000 tokens, 4000 to 8000 cost least at cache reads of 0.1 and 0.05 of the input's price; masking
 * cost 63 % and 71 % of no masking, and masking 1000 at a time 69 % and 85 %. Where nothing is cached, `rewritesEveryStep`
 * masks at each step instead.
 *
 * Bound: none, because calls and words stay; compose it with one that forgets.
 *
 * @throws {@link InvalidCondenserConfigError} when a number is out of range; `condense` throws
 *   {@link NoCondensationAvailableError} when a condensation was asked for and masking would save too little.
 * @see ObservationMaskingCondenser of OpenHands at d6fab190, without its faults: it masks anew at each step, summaries too,
 *   loses the call's id, so that the call is not sent either, and drops an open request
 */
export function observationMaskingCondenser(options: ObservationMaskingOptions = {}): Condenser {
  const { attentionWindow = 24, minSavedTokens = 8_000, maskArguments = false, placeholder, createEvent } = options;
  assertWholeNumber(name, 'attentionWindow', attentionWindow, 0);
  assertWholeNumber(name, 'minSavedTokens', minSavedTokens, 1);
  assertNoBatches(name, options);
  assertPlaceholder(name, placeholder);
  const rule: MaskRule = {
    isMaskable: (event, tokens) =>
      event.type === 'action'
        ? maskArguments && event.redacted !== true && tokens >= leastSavedByOne
        : isMaskableResult(event, tokens),
    maskOf: (view, event, index) => {
      if (event.type === 'action') {
        const masked = argumentsMaskOf(event, placeholder);
        return masked === undefined ? undefined : { eventId: event.id, arguments: masked };
      }
      if (!isToolResult(event)) return undefined;
      const text = placeholder ?? observationStub(event, answeredCall(view, event, index));
      return text === undefined ? undefined : { eventId: event.id, text };
    },
  };
  const windowOf = (view: View): AttentionWindow => ({
    start: view.events.length - attentionWindow,
    leftWith: (index) => index + attentionWindow,
  });
  return options.rewritesEveryStep === true
    ? rollingMasks({ name, rule, windowOf })
    : batchedMasks({ name, rule, windowOf, minSavedTokens, createEvent });
}

const argumentsMaskOf = remembered(({ toolCall }: ActionEvent, placeholder: string | undefined) =>
  maskedArguments(toolCall.arguments, placeholder),
);

function isMaskableResult(event: LLMConvertibleEvent, tokens: number): boolean {
  if (!isToolResult(event) || event.redacted === true || event.type === 'user-reject-observation') return false;
  return tokens >= (isErrorResult(event) ? keptErrorTokens + 1 : leastSavedByOne);
}
