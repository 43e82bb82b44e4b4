import type { ActionEvent, EventId, LLMConvertibleEvent, Redaction } from '@palimpsest/events';
import { keptEventIds, newestStep, redactedCopy } from '@palimpsest/view';
import type { Reduction, Replacement, View } from '@palimpsest/view';

/** The rule by which a condenser masks. The result for an event depends on that event alone, not on later events. */
export interface MaskRule {
  /** A cheap check by the size that the view counts: false if {@link maskOf} would return undefined. */
  isMaskable(event: LLMConvertibleEvent, tokens: number): boolean;
  /** The redaction that masks an event. Undefined if it would not be shorter than the original. */
  maskOf(view: View, event: LLMConvertibleEvent, index: number): Redaction | undefined;
}

/** The newest part of a view. Its events are not masked. */
export interface AttentionWindow {
  /** The index of its first event. */
  readonly start: number;
  /**
   * The index of the event that pushed an older event, given by its index, out of the window. A value that is too high is safe;
   * one that is too low is not.
   */
  readonly leftWith: (index: number) => number;
}

/** One mask that saves enough. */
export interface Mask {
  readonly index: number;
  readonly redaction: Redaction;
  /** The masked event. */
  readonly copy: LLMConvertibleEvent;
  /** Unit: tokens, as the view counts. */
  readonly savedTokens: number;
}

/** The possible masks of the views that it is called with. Each call costs the events of its range. */
export interface Masks {
  /** The tokens that masking a range saves if the range holds no pinned events and no open calls. Unit: tokens. */
  savable(view: View, from: number, to: number): number;
  /**
   * Examines the newest events of a range, at most {@link eventsAhead}: what a rule remembers of an event need not be found for
   * all events of a later batch at once. Changes no result.
   */
  ahead(view: View, from: number, to: number): void;
  /** The masks of a range, except those of pinned events and of calls without a result. */
  of(view: View, from: number, to: number): readonly Mask[];
  /** Returns the effect of applying {@link of}; undefined if it would do nothing. */
  estimate(view: View, from: number, to: number): Reduction | undefined;
}

/** More than most steps add. Unit: events of each call. */
const eventsAhead = 16;

/** A mask that saves less is not applied. Unit: tokens. */
export const leastSavedByOne = 40;

/** Returns the masks that a rule makes. */
export function masksBy(rule: MaskRule): Masks {
  const masksIn = (view: View, from: number, to: number): readonly Mask[] => {
    const masks: Mask[] = [];
    for (let index = from; index < to; index++) {
      const mask = maskAt(view, index, rule);
      if (mask !== undefined) masks.push(mask);
    }
    return masks;
  };
  /** Without those of pinned events and of calls without a result. */
  const allowed = (view: View, from: number, to: number): readonly Mask[] => {
    const kept = keptEventIds(view);
    return masksIn(view, from, to).filter(
      ({ redaction, copy }) => !kept.has(redaction.eventId) && (copy.type !== 'action' || isAnswered(view, copy)),
    );
  };
  return {
    savable: (view, from, to) => savedBy(masksIn(view, from, to)),
    ahead: (view, from, to) => void masksIn(view, Math.max(from, to - eventsAhead), to),
    of: allowed,
    estimate: (view, from, to) => {
      const masks = allowed(view, from, to);
      const first = masks[0]?.index;
      return first === undefined ? undefined : reductionOf(view, { from, to, first, savedTokens: savedBy(masks) });
    },
  };
}

/** Returns the savings of masks from the index `first` on, and what the prompt cache writes again for them. */
export function reductionOf(
  view: View,
  masks: { readonly from: number; readonly to: number; readonly first: number; readonly savedTokens: number },
): Reduction {
  const { from, to, first, savedTokens } = masks;
  const rewrittenTokens = Math.max(0, view.tokens(first, Math.max(first, newestStep(view).start)) - savedTokens);
  // Of what the next steps push out of the window, masks save the share that they save of this range.
  return { savedTokens, rewrittenTokens, savedShare: savedTokens / Math.max(1, view.tokens(from, to)) };
}

/**
 * Returns true if the view holds a call's result. A call without a result may still be carried out, after a confirmation or in another
 * process, and the model must know its request.
 */
function isAnswered(view: View, { id }: ActionEvent): boolean {
  const result = view.resultOf(id);
  return result !== undefined && view.indexOf(result.id) !== undefined;
}

function maskAt(view: View, index: number, rule: MaskRule): Mask | undefined {
  const event = view.events.at(index);
  const size = view.tokens(index, index + 1);
  if (event === undefined || !rule.isMaskable(event, size)) return undefined;
  const redaction = rule.maskOf(view, event, index);
  const copy = redaction === undefined ? undefined : redactedCopy(event, redaction);
  if (redaction === undefined || copy === undefined) return undefined;
  const savedTokens = size - view.tokensOf(copy);
  return savedTokens < leastSavedByOne ? undefined : { index, redaction, copy, savedTokens };
}

/** Returns the total savings of some masks. Unit: tokens. */
export function savedBy(masks: readonly Mask[]): number {
  return masks.reduce((sum, { savedTokens }) => sum + savedTokens, 0);
}

/**
 * Returns the view with masks applied. A masked event keeps its id, call id, tool name and position. `effectiveFrom` gives the event with
 * which the mask of the event at an index took effect, as in {@link Replacement}.
 */
export function maskedView(
  view: View,
  masks: readonly Mask[],
  effectiveFrom: (index: number) => EventId | undefined,
): View {
  if (masks.length === 0) return view;
  const changes = new Map<EventId, Replacement>();
  for (const { index, redaction, copy } of masks) {
    const since = effectiveFrom(index);
    changes.set(redaction.eventId, { event: copy, effectiveFrom: since });
  }
  return view.replace(changes);
}
