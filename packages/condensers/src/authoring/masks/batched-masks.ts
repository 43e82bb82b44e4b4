import type { Condensation, CreateEvent, EventId } from '@palimpsest/events';
import { condensation, newestStep, NoCondensationAvailableError, recalledEventIds } from '@palimpsest/view';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';
import { masksBy, savedBy } from './masks.js';
import type { AttentionWindow, Mask, MaskRule } from './masks.js';
import { requirementOf } from '../rolling/requirement.js';

/** The masks of {@link batchedMasks}, their trigger, and the condenser's name. */
export interface BatchedMasksOptions {
  readonly name: string;
  readonly rule: MaskRule;
  /** The window: events before it may be masked. The newest step is never masked, even if it lies before the window. */
  readonly windowOf: (view: View) => AttentionWindow;
  /** Unit: tokens. */
  readonly minSavedTokens: number;
  readonly createEvent: CreateEvent | undefined;
}

/** The least that an urgent masking must save. Unit: share of the view's tokens. */
const leastSavedWhenUrgent = 0.1;

/**
 * A condenser that masks in batches. It returns the view unchanged until the masks save enough; one condensation then applies all
 * of them. If the view is over the model's budget, or on a request, a tenth of the view's tokens is enough. If the window itself
 * is too large, everything before the newest step may be masked.
 */
export function batchedMasks(options: BatchedMasksOptions): Condenser {
  const { name, minSavedTokens } = options;
  const masks = masksBy(options.rule);
  const act = (view: View, found: readonly Mask[], end: number, reason: string): Condensation => {
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

  return {
    name,
    handlesCondensationRequests: true,
    condense: (view, context = {}) => {
      const newest = newestStep(view).start;
      const windowStart = Math.max(0, Math.min(options.windowOf(view).start, newest));
      const from = firstUnmasked(view, name);
      const enough = Math.min(minSavedTokens, Math.ceil((context.contextWindow ?? Infinity) / 10));
      const mayBeEnough = view.tokens(from, windowStart) >= enough && masks.savable(view, from, windowStart) >= enough;
      if (mayBeEnough) {
        const found = masks.of(view, from, windowStart);
        if (savedBy(found) >= enough) return act(view, found, windowStart, 'batch');
      }
      const urgency = urgencyOf(view, context);
      if (urgency === undefined) return view;
      const enoughNow = Math.max(1, Math.min(enough, view.tokens() * leastSavedWhenUrgent));
      for (const end of [windowStart, newest]) {
        const found = masks.of(view, 0, end);
        if (savedBy(found) >= enoughNow) return act(view, found, end, urgency);
      }
      if (urgency !== 'request') return view;
      throw new NoCondensationAvailableError('masking old results would save less than a tenth of the view');
    },
  };
}

/** A recalled answer that is left now is masked in a later batch, so what follows it is examined again. */
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
 * The end of the last batch: the events before it have been examined. It is read from the log, so no state is kept between calls.
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
