import { isErrorResult, isToolResult } from '@palimpsest/events';
import type { ActionEvent, CreateEvent, LLMConvertibleEvent, ToolResultEvent } from '@palimpsest/events';
import type { Condenser } from '@palimpsest/view';
import * as z from 'zod/mini';
import { remembered } from '../authoring/calls/remembered.js';
import { createCondenser, defineCondenser } from '../authoring/definition/define-condenser.js';
import { flag, optionsOf, wholeNumber } from '../authoring/definition/option-schemas.js';
import { batchesOrEveryStep, maskingCondenser, maskOptions } from '../authoring/masks/masking-condenser.js';
import type { MaskOptions } from '../authoring/masks/masking-condenser.js';
import { leastSavedByOne } from '../authoring/masks/masks.js';
import type { MaskRule } from '../authoring/masks/masks.js';
import { maskedArguments } from './argument-mask.js';
import { observationStub } from './observation-stub.js';

/** Options of {@link observationMaskingCondenser}. */
export interface ObservationMaskingOptions extends MaskOptions {
  /** The number of newest events that are not masked. Unit: events, of any type. @defaultValue 24 */
  readonly attentionWindow?: number | undefined;
  /**
   * Also masks texts of more than 400 characters in the arguments of old calls (file contents, patches, scripts). What names the place
   * stays: paths, numbers and short texts; the files of a patch and where it changes them; the first line of any other text. Saves
   * about half as much again, and hides the model's own words. @defaultValue false
   */
  readonly maskArguments?: boolean | undefined;
  /**
   * The most that the paths in a mask take. They stand word for word in what the mask hides, and take at most 15 % of it; the mask
   * says how many others there are. Zero, or a `placeholder`: none. Unit: tokens. @defaultValue 200
   */
  readonly maxPathTokens?: number | undefined;
  /** Creates the condensation. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/** A failure of at most this size is not masked: it tells the model what not to try again. Unit: tokens. */
const keptErrorTokens = 250;

/**
 * Masks old tool results in batches. As long as the masks would save little, the view is unchanged, so the provider's cached
 * prefix holds. When masking the results behind the attention window saves `minSavedTokens`, one condensation masks them all.
 * Calls, ids, positions and the newest step stay. Calls without a result, results that are already masked, the user's refusals,
 * and failures of up to 250 tokens stay too, as does what is pinned or was recalled lately. Each mask is shorter than the original,
 * describes it, lists paths that it names, and names its address, by which `recallTool` of `@palimpsest/relevance-tool` returns the
 * original. A `placeholder` names none.
 *
 * A view over the model's budget, or a request, is urgent: savings of a tenth of the view's tokens are then enough. If the
 * attention window itself holds more than that, everything before the newest step is masked.
 *
 * Why batches of 8000: if one old result changes, the provider writes everything behind it again, at 11 to 24 times the price of
 * reading it (price lists of 2026). On eleven long recorded coding sessions, with windows of 12 to 40 events and thresholds of
 * 1000 to 32 000 tokens, 4000 to 8000 cost least at cache reads of 0.1 and 0.05 of the input's price. Masking cost 63 % and 71 %
 * of no masking; masking 1000 at a time cost 69 % and 85 %. If nothing is cached, `rewritesEveryStep` masks at each step instead.
 *
 * It is a {@link Reducer}, unless it rewrites every step: as a stage of {@link pricedCondenser} it masks what has left the window when
 * that pays. Masks alone save half of what the presets of `pricedCondenser` save on long sessions, and masks before a preset's summary
 * add nothing. As the only stage, where reads are cheap, they wait longer than batches of 8000 and save less, because the insurance lets
 * no session get dearer: 6 % instead of 20 % at reads of 0.025.
 *
 * Bound: none, because calls and messages stay; combine it with a condenser that forgets.
 *
 * @throws {@link InvalidCondenserConfigError} when a number is out of range; `condense` throws {@link
 *   NoCondensationAvailableError} when a condensation was requested and masking would save too little.
 * @see ObservationMaskingCondenser of OpenHands at d6fab190, without its faults: it masks anew at each step, summaries too,
 *   loses the call's id, so that the call is not sent either, and drops an open request
 */
export function observationMaskingCondenser(options: ObservationMaskingOptions = {}): Condenser {
  return createCondenser(observationMasking, options);
}

/** The definition of {@link observationMaskingCondenser}. */
export const observationMasking = /* @__PURE__ */ defineCondenser({
  name: 'observationMasking',
  summary: 'masks old tool results; a mask has their paths and their address',
  options: /* @__PURE__ */ optionsOf(
    () => ({
      ...maskOptions(24),
      maskArguments: z._default(flag(), false),
      maxPathTokens: z._default(wholeNumber(0), 200),
    }),
    batchesOrEveryStep,
  ),
  create: ({ attentionWindow, maskArguments, maxPathTokens, placeholder, ...options }, { createEvent }) =>
    maskingCondenser({
      name: 'observationMasking',
      rule: maskRule({ maskArguments, maxPathTokens, placeholder }),
      windowOf: ({ events }) => ({
        start: events.length - attentionWindow,
        leftWith: (index) => index + attentionWindow,
      }),
      ...options,
      createEvent,
    }),
});

function maskRule(options: {
  readonly maskArguments: boolean;
  readonly maxPathTokens: number;
  readonly placeholder: string | undefined;
}): MaskRule {
  const { maskArguments, maxPathTokens, placeholder } = options;
  const stubOf = remembered((event: ToolResultEvent, action: ActionEvent | undefined) =>
    observationStub(event, action, { maxPathTokens }),
  );
  const argumentsOf = remembered((action: ActionEvent, text: string | undefined) =>
    maskedArguments(action, { maxPathTokens, placeholder: text }),
  );
  return {
    isMaskable: (event, tokens) =>
      event.type === 'action'
        ? maskArguments && event.redacted !== true && tokens >= leastSavedByOne
        : isMaskableResult(event, tokens),
    maskOf: (view, event) => {
      if (event.type === 'action') {
        const masked = argumentsOf(event, placeholder);
        return masked === undefined ? undefined : { eventId: event.id, arguments: masked };
      }
      if (!isToolResult(event)) return undefined;
      const text = placeholder ?? stubOf(event, view.callOf(event.id));
      return text === undefined ? undefined : { eventId: event.id, text };
    },
  };
}

function isMaskableResult(event: LLMConvertibleEvent, tokens: number): boolean {
  if (!isToolResult(event) || event.redacted === true || event.type === 'user-reject-observation') return false;
  return tokens >= (isErrorResult(event) ? keptErrorTokens + 1 : leastSavedByOne);
}
