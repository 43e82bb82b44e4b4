import { isToolResult } from '@palimpsest/events';
import type { ActionEvent, EventId, LLMConvertibleEvent, Redaction, ToolResultEvent } from '@palimpsest/events';
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

/**
 * The possible masks of the views that it is called with. Each event is examined once for as long as the view's list is the same.
 */
export interface Masks {
  /** The tokens that masking a range saves if the range holds no pinned events and no open calls. Unit: tokens. */
  savable(view: View, from: number, to: number): number;
  /**
   * Examines the next events of a range, at most {@link eventsAhead}: called at each step, a later batch need not examine all of them at
   * once. Changes no result.
   */
  ahead(view: View, from: number, to: number): void;
  /** The masks of a range, except those of pinned events and of calls without a result. */
  of(view: View, from: number, to: number): readonly Mask[];
  /** What applying {@link of} would do. Undefined if it would do nothing. Costs O(new events). */
  estimate(view: View, from: number, to: number): Reduction | undefined;
}

/** More than a step adds, so that a condenser also catches up with a history that it finds. Unit: events of each call. */
const eventsAhead = 64;

/** A mask that saves less is not applied. Unit: tokens. */
export const leastSavedByOne = 40;

interface Looked {
  /** The index of the first examined event. */
  readonly start: number;
  /** By index from `start`; undefined if a mask does not save enough. */
  readonly masks: (Mask | undefined)[];
  /** The tokens saved by the masks from `start` to an index. */
  readonly sums: number[];
  /** The indices of the masks, in order. */
  readonly found: number[];
  /** The masks of calls whose result has not been seen, and the index up to which it was looked for. */
  readonly open: Map<number, { readonly call: ActionEvent; readonly to: number }>;
}

/**
 * The masks that a rule makes. The results are kept per source of the list, so a call examines only new events. Events before
 * the first index that was asked for are not examined: a condensation that masks makes a new list, of which only the end is new.
 */
export function masksBy(rule: MaskRule): Masks {
  const known = new WeakMap<object, Looked>();
  const look = (view: View, from: number, to: number): Looked => {
    const { source } = view.events;
    const before = source && known.get(source);
    const looked = before !== undefined && before.start <= from ? before : nothingLooked(from);
    const { start, masks, sums, found, open } = looked;
    for (let index = start + masks.length; index < to; index++) {
      const mask = maskAt(view, index, rule);
      masks.push(mask);
      if (mask !== undefined) found.push(index);
      if (mask?.copy.type === 'action') open.set(index, { call: mask.copy, to: index + 1 });
      sums.push((sums[index - start] ?? 0) + (mask?.savedTokens ?? 0));
    }
    if (source !== undefined) known.set(source, looked);
    return looked;
  };
  return {
    savable: (view, from, to) => {
      if (to <= from) return 0;
      const { start, sums } = look(view, from, to);
      return (sums[to - start] ?? 0) - (sums[from - start] ?? 0);
    },
    ahead: (view, from, to) => {
      const { source } = view.events;
      if (source === undefined || to <= from) return;
      const before = known.get(source);
      const next = before !== undefined && before.start <= from ? before.start + before.masks.length : from;
      look(view, from, Math.min(to, next + eventsAhead));
    },
    of: (view, from, to) => {
      if (to <= from) return [];
      const { start, masks } = look(view, from, to);
      const kept = keptEventIds(view);
      const found: Mask[] = [];
      for (let index = from; index < to; index++) {
        const mask = masks[index - start];
        if (mask === undefined || kept.has(mask.redaction.eventId)) continue;
        if (mask.copy.type !== 'action' || isAnswered(view, mask.copy, index + 1)) found.push(mask);
      }
      return found;
    },
    estimate: (view, from, to) => {
      if (to <= from) return undefined;
      const { start, masks, sums, found, open } = look(view, from, to);
      const left = new Set<number>();
      for (const id of keptEventIds(view)) {
        const index = view.indexOf(id);
        if (index !== undefined) left.add(index);
      }
      for (const index of openCalls(view, open)) left.add(index);
      let savedTokens = (sums[to - start] ?? 0) - (sums[from - start] ?? 0);
      for (const index of left) {
        if (index >= from && index < to) savedTokens -= masks[index - start]?.savedTokens ?? 0;
      }
      let place = firstAtLeast(found, from);
      while (left.has(found[place] ?? -1)) place++;
      const first = found[place] ?? to;
      return first >= to ? undefined : reductionOf(view, { from, to, first, savedTokens });
    },
  };
}

function nothingLooked(start: number): Looked {
  return { start, masks: [], sums: [0], found: [], open: new Map() };
}

/** What masks from the index `first` on save, and what the prompt cache writes again for them. */
export function reductionOf(
  view: View,
  masks: { readonly from: number; readonly to: number; readonly first: number; readonly savedTokens: number },
): Reduction {
  const { from, to, first, savedTokens } = masks;
  const rewrittenTokens = Math.max(0, view.tokens(first, Math.max(first, newestStep(view).start)) - savedTokens);
  // Of what the next steps push out of the window, masks save the share that they save of this range.
  return { savedTokens, rewrittenTokens, savedShare: savedTokens / Math.max(1, view.tokens(from, to)) };
}

/** The calls whose result the view does not hold. Looks only at events that it has not looked at before. */
function openCalls(view: View, open: Looked['open']): readonly number[] {
  const { length } = view.events;
  for (const [index, { call, to }] of open) {
    if (isAnswered(view, call, to)) open.delete(index);
    else open.set(index, { call, to: Math.max(to, length) });
  }
  return [...open.keys()];
}

/** The place of the first of some ascending numbers that is at least so large. */
function firstAtLeast(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) >= least) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Whether the view holds a call's result, at an index or behind it. A call without a result may still be carried out after a confirmation or in another
 * process, and the model must know its request.
 */
function isAnswered({ events }: View, { id, toolCall }: ActionEvent, from: number): boolean {
  for (let after = from; after < events.length; after++) {
    const event = events.at(after);
    if (event === undefined || !isToolResult(event)) continue;
    if (event.actionId === undefined ? event.toolCallId === toolCall.id : event.actionId === id) return true;
  }
  return false;
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

/** The total savings of some masks. Unit: tokens. */
export function savedBy(masks: readonly Mask[]): number {
  return masks.reduce((sum, { savedTokens }) => sum + savedTokens, 0);
}

/**
 * The view with masks applied. A masked event keeps its id, call id, tool name and position. `effectiveFrom` gives the event with
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

/**
 * The logged call that a result answers: the call that the result names, or else the nearest earlier call with its tool call id.
 */
export function answeredCall(view: View, result: ToolResultEvent, index: number): ActionEvent | undefined {
  const named = result.actionId === undefined ? undefined : view.original(result.actionId);
  if (named?.type === 'action') return named;
  for (let before = index - 1; before >= 0; before--) {
    const event = view.events.at(before);
    if (event?.type !== 'action' || event.toolCall.id !== result.toolCallId) continue;
    const logged = view.original(event.id);
    return logged?.type === 'action' ? logged : event;
  }
  return undefined;
}
