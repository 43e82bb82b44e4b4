import type { Condensation, CreateEvent, EventId } from '@palimpsest/events';
import {
  condensation,
  isRecalled,
  newestStep,
  NoCondensationAvailableError,
  pinStates,
  recalledEventIds,
} from '@palimpsest/view';
import type { CondenseContext, Condenser, Reducer, View } from '@palimpsest/view';
import * as z from 'zod/mini';
import { flag, nonBlankText, optionIssue, wholeNumber } from '../definition/option-schemas.js';
import type { OptionsCheck } from '../definition/option-schemas.js';
import { requirementOf } from '../rolling/requirement.js';
import { maskedView, masksBy, reductionOf, savedBy } from './masks.js';
import type { AttentionWindow, Mask, MaskRule } from './masks.js';

/** The options of masks: when they are made, and which text replaces the masked one. */
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

/** Returns the schemas of {@link MaskOptions}, and of an `attentionWindow` of this size. Used with {@link batchesOrEveryStep}. */
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
  const reason = "has no effect together with 'rewritesEveryStep': leave one of the two out";
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
 * Returns a condenser that masks events outside the attention window. It masks in batches, one condensation each, or at each step in the
 * view alone. Pinned events, calls without a result and the newest step are not masked.
 *
 * A condenser that masks in batches is a {@link Reducer}. Its estimate is exact and costs O(new events).
 *
 * @throws `condense` throws {@link NoCondensationAvailableError} when a condensation was requested and masking would save too
 *   little.
 */
export function maskingCondenser(options: MaskingOptions): Condenser {
  return options.rewritesEveryStep === true ? rollingMasks(options) : batchedMasks(options);
}

/** The least that an urgent masking must save. Unit: share of the view's tokens. */
const leastSavedWhenUrgent = 0.1;

/** Masks that can be applied now. */
interface Batch {
  readonly found: readonly Mask[];
  /** The end of the events that were examined. */
  readonly end: number;
}

/**
 * Returns a condenser that masks in batches. It returns the view unchanged until the masks save enough; one condensation then applies all
 * of them. If the view is over the model's budget, or on a request, a tenth of the view's tokens is enough. If the window itself
 * is too large, everything before the newest step may be masked.
 *
 * As a {@link Reducer} it masks what has left the window since the last batch, however little that is.
 */
function batchedMasks(options: MaskingOptions): Reducer {
  const { name, minSavedTokens = 8_000 } = options;
  const masks = masksBy(options.rule);
  const act = (view: View, { found, end }: Batch, reason: string): Condensation => {
    const tokensBefore = view.tokens();
    return condensation({
      view,
      redactions: found.map(({ redaction }) => redaction),
      metadata: {
        condenser: name,
        reason,
        tokensBefore,
        tokensAfter: tokensBefore - savedBy(found),
        masked: found.length,
        through: lastExamined(view, end),
      },
      createEvent: options.createEvent,
    });
  };
  const windowStart = (view: View): number =>
    Math.max(0, Math.min(options.windowOf(view).start, newestStep(view).start));
  const enoughIn = ({ contextWindow = Infinity }: CondenseContext): number =>
    Math.min(minSavedTokens, Math.ceil(contextWindow / 10));
  const urgentBatch = (view: View, context: CondenseContext): Batch | undefined => {
    const enough = Math.max(1, Math.min(enoughIn(context), view.tokens() * leastSavedWhenUrgent));
    for (const end of [windowStart(view), newestStep(view).start]) {
      const found = masks.of(view, 0, end);
      if (savedBy(found) >= enough) return { found, end };
    }
    return undefined;
  };

  return {
    name,
    handlesCondensationRequests: true,
    condense: (view, context = {}) => {
      const end = windowStart(view);
      const from = firstUnmasked(view, name);
      const enough = enoughIn(context);
      const behindLast = view.tokens(from, end);
      if (behindLast * 2 >= enough && behindLast < enough) masks.ahead(view, from, end);
      if (behindLast >= enough && masks.savable(view, from, end) >= enough) {
        const found = masks.of(view, from, end);
        if (savedBy(found) >= enough) return act(view, { found, end }, 'batch');
      }
      const urgency = urgencyOf(view, context);
      if (urgency === undefined) return view;
      const batch = urgentBatch(view, context);
      if (batch !== undefined) return act(view, batch, urgency);
      if (urgency !== 'request') return view;
      throw new NoCondensationAvailableError(tooLittle);
    },
    estimate: (view, context) => {
      if (urgencyOf(view, context) === undefined)
        return masks.estimate(view, firstUnmasked(view, name), windowStart(view));
      const batch = urgentBatch(view, context);
      const first = batch?.found[0]?.index;
      if (batch === undefined || first === undefined) return undefined;
      return reductionOf(view, { from: 0, to: batch.end, first, savedTokens: savedBy(batch.found) });
    },
    reduce: (view, context) => {
      const urgency = urgencyOf(view, context);
      const end = windowStart(view);
      const batch =
        urgency === undefined
          ? { found: masks.of(view, firstUnmasked(view, name), end), end }
          : urgentBatch(view, context);
      if (batch === undefined || batch.found.length === 0) throw new NoCondensationAvailableError(tooLittle);
      return act(view, batch, urgency ?? 'asked');
    },
  };
}

const tooLittle = 'masking old results would save less than a tenth of the view';

/**
 * Returns the last event that was examined. A recalled answer that is left now is masked in a later batch, so what follows it is
 * examined again.
 */
function lastExamined(view: View, end: number): EventId | undefined {
  const young = [...recalledEventIds(view)].map((id) => view.indexOf(id) ?? end);
  const next = Math.min(end, ...young);
  return next === 0 ? undefined : view.events.at(next - 1)?.id;
}

function urgencyOf(view: View, context: CondenseContext): 'request' | 'tokens' | undefined {
  if (view.unhandledCondensationRequest) return 'request';
  const { reasons } = requirementOf(view, context, { maxSize: Infinity, maxTokens: undefined });
  return reasons.includes('tokens') ? 'tokens' : undefined;
}

/**
 * Returns the end of the last batch: the events before it have been examined. It is read from the log, so no state is kept between calls.
 */
function firstUnmasked(view: View, name: string): number {
  const { condensations } = view;
  for (let index = condensations.length - 1; index >= 0; index--) {
    const metadata = condensations.at(index)?.metadata;
    if (metadata?.['condenser'] !== name) continue;
    const { through } = metadata;
    const last = typeof through === 'string' ? view.indexOf(through) : undefined;
    return last === undefined ? 0 : last + 1;
  }
  return 0;
}

/**
 * Returns a condenser that masks at each step the events that have left the window. The log does not change, and each step rewrites the
 * provider's cache behind the newest mask. Each call examines every event before the window.
 */
function rollingMasks({ name, rule, windowOf }: MaskingOptions): Condenser {
  const masks = masksBy(rule);
  return {
    name,
    rewritesEveryStep: true,
    condense: (view) => {
      const window = windowOf(view);
      const to = Math.min(window.start, newestStep(view).start);
      let nextStep: readonly number[] | undefined;
      let wasUnpinned: boolean | undefined;
      // A response was made from the masked text if the event that pushed the original out, and a later step, came before the
      // response.
      const standsFrom = (index: number): number =>
        Math.max(window.leftWith(index), (nextStep ??= nextSteps(view))[index] ?? Infinity) + 1;
      return maskedView(view, masks.of(view, 0, to), (index) => {
        // An event that was pinned or recalled for a while is masked later than the window says; the view does not record when.
        wasUnpinned ??= [...pinStates(view).values()].some(({ isPinned }) => !isPinned);
        const event = view.events.at(index);
        return wasUnpinned || (event !== undefined && isRecalled(event))
          ? undefined
          : view.events.at(standsFrom(index))?.id;
      });
    },
  };
}

/** For each index, the start of the next step: the first event of the model that follows an event of another source. */
function nextSteps({ events }: View): readonly number[] {
  const next = new Array<number>(events.length);
  let start = events.length;
  let isAfterModel = false;
  for (let index = events.length - 1; index >= 0; index--) {
    next[index] = start;
    const event = events.at(index);
    const isModel = event?.type === 'action' || (event?.type === 'message' && event.role === 'assistant');
    if (isModel) isAfterModel = true;
    else if (isAfterModel) {
      start = index + 1;
      isAfterModel = false;
      next[index] = start;
    }
  }
  return next;
}
