import type { ActionEvent, EventId, LLMConvertibleEvent, Redaction, ToolResultEvent } from '@palimpsest/events';
import { redactedCopy } from '@palimpsest/view';
import type { Replacement, View } from '@palimpsest/view';
import { keptEventIds } from './kept-events.js';
import { remembered } from './remembered.js';

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

/** Some masks, and what they save. */
export interface MaskPlan {
  readonly redactions: readonly Redaction[];
  /** Unit: tokens. */
  readonly savedTokens: number;
}

/** A mask that saves less is not worth a change. Unit: tokens. */
export const leastSavedByOne = 40;

/**
 * Makes the function that says what masking a range can save at most. Most calls end with it, so it costs a look at each event
 * that is new since the last one: sums are kept by the list's source. Unit: tokens.
 */
export function savableTokens(rule: MaskRule): (view: View, from: number, to: number) => number {
  const known = new WeakMap<object, number[]>();
  return (view, from, to) => {
    if (to <= from) return 0;
    const { source } = view.events;
    const sums = (source && known.get(source)) ?? [0];
    for (let index = sums.length - 1; index < to; index++) {
      const event = view.events.at(index);
      const size = view.tokens(index, index + 1);
      sums.push((sums[index] ?? 0) + (event !== undefined && rule.isMaskable(event, size) ? size : 0));
    }
    if (source !== undefined) known.set(source, sums);
    return (sums[to] ?? 0) - (sums[from] ?? 0);
  };
}

/** The masks of a range that are worth it, as the view counts. What is pinned is not masked. */
export function planMasks(view: View, from: number, to: number, rule: MaskRule): MaskPlan {
  const kept = keptEventIds(view);
  const redactions: Redaction[] = [];
  let savedTokens = 0;
  for (let index = from; index < to; index++) {
    const event = view.events.at(index);
    const size = view.tokens(index, index + 1);
    if (event === undefined || !rule.isMaskable(event, size) || kept.has(event.id)) continue;
    const redaction = rule.maskOf(view, event, index);
    const copy = redaction === undefined ? undefined : copyWith(event, redaction);
    if (redaction === undefined || copy === undefined) continue;
    const saved = size - view.tokensOf(copy);
    if (saved < leastSavedByOne) continue;
    redactions.push(redaction);
    savedTokens += saved;
  }
  return { redactions, savedTokens };
}

/**
 * The view with masks in it. Id, call id, tool name and position of what is masked stay. `effectiveFrom` says with which event
 * the mask of the event at an index took effect, as {@link Replacement} does.
 */
export function maskedView(
  view: View,
  redactions: readonly Redaction[],
  effectiveFrom: (index: number) => EventId | undefined = () => undefined,
): View {
  const changes = new Map<EventId, Replacement>();
  for (const redaction of redactions) {
    const index = view.indexOf(redaction.eventId);
    const event = index === undefined ? undefined : view.events.at(index);
    const copy = event === undefined ? undefined : copyWith(event, redaction);
    if (index === undefined || copy === undefined) continue;
    const since = effectiveFrom(index);
    changes.set(redaction.eventId, { event: copy, ...(since === undefined ? {} : { effectiveFrom: since }) });
  }
  return changes.size === 0 ? view : view.replace(changes);
}

/** The same copy each time, so that who masks anew at each step need not make it anew. */
function copyWith(event: LLMConvertibleEvent, { text, arguments: input }: Redaction): LLMConvertibleEvent | undefined {
  return event.type === 'action' ? copyWithArguments(event, input) : copyWithText(event, text);
}

const copyWithText = remembered((event: LLMConvertibleEvent, text: string | undefined) =>
  redactedCopy(event, text === undefined ? {} : { text }),
);
const copyWithArguments = remembered((event: LLMConvertibleEvent, input: string | undefined) =>
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
