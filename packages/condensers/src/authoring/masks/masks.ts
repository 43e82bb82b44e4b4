import { isToolResult } from '@palimpsest/events';
import type { ActionEvent, EventId, LLMConvertibleEvent, Redaction, ToolResultEvent } from '@palimpsest/events';
import { keptEventIds, redactedCopy } from '@palimpsest/view';
import type { Replacement, View } from '@palimpsest/view';
import { remembered } from '../remembered.js';

/** What a condenser masks, and how. The same event is always judged the same, whatever stands behind it. */
export interface MaskRule {
  /** A quick look, at the size that the view counts: false where {@link maskOf} would give nothing. */
  isMaskable(event: LLMConvertibleEvent, tokens: number): boolean;
  /** The redaction that masks an event. Undefined where it would not be shorter than what it replaces. */
  maskOf(view: View, event: LLMConvertibleEvent, index: number): Redaction | undefined;
}

/** The newest part of a view, in which nothing is masked. */
export interface AttentionWindow {
  /** The index of its first event. */
  readonly start: number;
  /** The index of the event with which an older one, given by its index, left the window. Too high is safe, too low is not. */
  readonly leftWith: (index: number) => number;
}

/** One mask that is worth it. */
export interface Mask {
  readonly index: number;
  readonly redaction: Redaction;
  /** The masked event. */
  readonly copy: LLMConvertibleEvent;
  /** Unit: tokens, as the view counts. */
  readonly savedTokens: number;
}

/** What may be masked of the views that it is asked about. Each event is looked at once, as long as its list is the same. */
export interface Masks {
  /** What masking a range saves, if nothing in it is pinned and no call in it waits. Unit: tokens. */
  savable(view: View, from: number, to: number): number;
  /** The masks of a range, without those of what is pinned and of calls that have no result yet. */
  of(view: View, from: number, to: number): readonly Mask[];
}

/** A mask that saves less is not worth a change. Unit: tokens. */
export const leastSavedByOne = 40;

interface Looked {
  /** By index; undefined where a mask is not worth it. */
  readonly masks: (Mask | undefined)[];
  /** What the masks before an index save. */
  readonly sums: number[];
}

/** The masks that a rule makes. What was looked at is kept by the list's source, so that a call costs a look at what is new. */
export function masksBy(rule: MaskRule): Masks {
  const known = new WeakMap<object, Looked>();
  const look = (view: View, to: number): Looked => {
    const { source } = view.events;
    const looked = (source && known.get(source)) ?? { masks: [], sums: [0] };
    const { masks, sums } = looked;
    for (let index = masks.length; index < to; index++) {
      const mask = maskAt(view, index, rule);
      masks.push(mask);
      sums.push((sums[index] ?? 0) + (mask?.savedTokens ?? 0));
    }
    if (source !== undefined) known.set(source, looked);
    return looked;
  };
  return {
    savable: (view, from, to) => {
      if (to <= from) return 0;
      const { sums } = look(view, to);
      return (sums[to] ?? 0) - (sums[from] ?? 0);
    },
    of: (view, from, to) => {
      if (to <= from) return [];
      const { masks } = look(view, to);
      const kept = keptEventIds(view);
      const found: Mask[] = [];
      for (let index = from; index < to; index++) {
        const mask = masks[index];
        if (mask === undefined || kept.has(mask.redaction.eventId)) continue;
        if (mask.copy.type !== 'action' || isAnswered(view, mask.copy, index)) found.push(mask);
      }
      return found;
    },
  };
}

/**
 * Whether the view holds a call's result. A call without one may still be carried out, once somebody allows it or another
 * process goes on with it, and the model must know what it asked for.
 */
function isAnswered({ events }: View, { id, toolCall }: ActionEvent, index: number): boolean {
  for (let after = index + 1; after < events.length; after++) {
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
  const copy = redaction === undefined ? undefined : copyWith(event, redaction);
  if (redaction === undefined || copy === undefined) return undefined;
  const savedTokens = size - view.tokensOf(copy);
  return savedTokens < leastSavedByOne ? undefined : { index, redaction, copy, savedTokens };
}

/** What some masks save together. Unit: tokens. */
export function savedBy(masks: readonly Mask[]): number {
  return masks.reduce((sum, { savedTokens }) => sum + savedTokens, 0);
}

/**
 * The view with masks in it. Id, call id, tool name and position of what is masked stay. `effectiveFrom` says with which event
 * the mask of the event at an index took effect, as {@link Replacement} does.
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

/** The same copy each time, so that who masks anew at each step need not make it anew. */
function copyWith(event: LLMConvertibleEvent, { text, arguments: input }: Redaction): LLMConvertibleEvent | undefined {
  return event.type === 'action' ? copyWithArguments(event, input) : copyWithText(event, text);
}

const copyWithText = /* @__PURE__ */ remembered((event: LLMConvertibleEvent, text: string | undefined) =>
  redactedCopy(event, text === undefined ? {} : { text }),
);
const copyWithArguments = /* @__PURE__ */ remembered((event: LLMConvertibleEvent, input: string | undefined) =>
  redactedCopy(event, input === undefined ? {} : { arguments: input }),
);

/** The call that a result answers, as it was logged: the one it names, or else the nearest before it with its tool call id. */
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
