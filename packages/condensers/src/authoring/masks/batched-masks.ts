import type { Condensation, CreateEvent, EventId } from '@palimpsest/events';
import { condensation, newestStep, NoCondensationAvailableError, recalledEventIds } from '@palimpsest/view';
import type { CondenseContext, Reducer, View } from '@palimpsest/view';
import { masksBy, reductionOf, savedBy } from './masks.js';
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

/** Masks that can be applied now. */
interface Batch {
  readonly found: readonly Mask[];
  /** The end of the events that were examined. */
  readonly end: number;
}

/**
 * A condenser that masks in batches. It returns the view unchanged until the masks save enough; one condensation then applies all
 * of them. If the view is over the model's budget, or on a request, a tenth of the view's tokens is enough. If the window itself
 * is too large, everything before the newest step may be masked.
 *
 * As a {@link Reducer} it masks what has left the window since the last batch, however little that is.
 */
export function batchedMasks(options: BatchedMasksOptions): Reducer {
  const { name, minSavedTokens } = options;
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
