import { isLLMConvertible, isToolResult } from '@palimpsest/events';
import type { Condensation, CondensationSummaryEvent, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { newestStep, redactedCopy } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/** The sizes that a condensation changes in a view. Unit: tokens, as the view estimates. */
export interface Change {
  readonly savedTokens: number;
  /** The part after the first change and before the newest step, the summary included. */
  readonly rewrittenTokens: number;
  /** The part before the first change, which the prompt cache still serves. */
  readonly untouchedTokens: number;
}

/** Measures a condensation that has not been applied yet. Costs O(events of the view). */
export function changeOf(view: View, condensation: Condensation): Change {
  const forgotten = new Set(condensation.forgottenEventIds);
  const masked = new Map(condensation.redactions?.map((redaction) => [redaction.eventId, redaction]));
  const { start } = newestStep(view);
  let savedTokens = 0;
  let savedBefore = 0;
  let first: number | undefined;
  for (let index = 0; index < view.events.length; index++) {
    const event = view.events.at(index) as LLMConvertibleEvent;
    const saved = savedBy(view, event, index, forgotten, masked);
    if (saved === 0) continue;
    first ??= index;
    savedTokens += saved;
    if (index < start) savedBefore += saved;
  }
  const { summary } = condensation;
  const summaryTokens = summary === undefined ? 0 : view.tokensOf(summaryEvent(summary));
  const place = Math.min(first ?? view.events.length, condensation.summaryOffset ?? Infinity);
  return {
    savedTokens: savedTokens - summaryTokens,
    rewrittenTokens: Math.max(0, view.tokens(place, Math.max(place, start)) - savedBefore) + summaryTokens,
    untouchedTokens: view.tokens(0, place),
  };
}

/** The replacements of a redaction, for a text or for arguments. */
interface Mask {
  readonly text?: string | undefined;
  readonly arguments?: string | undefined;
}

function savedBy(
  view: View,
  event: LLMConvertibleEvent,
  index: number,
  forgotten: ReadonlySet<EventId>,
  masked: ReadonlyMap<EventId, Mask>,
): number {
  const tokens = view.tokens(index, index + 1);
  if (forgotten.has(event.id)) return tokens;
  const mask = masked.get(event.id);
  const copy = mask && maskedCopy(event, mask);
  return copy === undefined ? 0 : tokens - view.tokensOf(copy);
}

function maskedCopy(event: LLMConvertibleEvent, { text, arguments: input }: Mask): LLMConvertibleEvent | undefined {
  if (!(event.type === 'action' || isToolResult(event))) return undefined;
  return redactedCopy(event, {
    ...(text === undefined ? {} : { text }),
    ...(input === undefined ? {} : { arguments: input }),
  });
}

function summaryEvent(summary: string): CondensationSummaryEvent {
  return { type: 'condensation-summary', id: 'summary', timestamp: '', source: 'environment', summary };
}

/**
 * Returns the tokens by which each of some condensations in force has made the view smaller, in order. Unit: tokens, as
 * the view estimates. Costs O(events that they have forgotten).
 */
export function removedBy(view: View, condensations: readonly Condensation[]): readonly number[] {
  /** The tokens that have been removed of each event so far. */
  const removed = new Map<EventId, number>();
  const remove = (id: EventId, tokens: number): number => {
    const before = removed.get(id) ?? 0;
    removed.set(id, Math.max(before, tokens));
    return Math.max(0, tokens - before);
  };
  return condensations.map(({ forgottenEventIds, redactions = [], summary }) => {
    let tokens = summary === undefined ? 0 : -view.tokensOf(summaryEvent(summary));
    for (const id of forgottenEventIds) tokens += remove(id, sizeOfOriginal(view, id));
    for (const redaction of redactions) {
      const event = view.original(redaction.eventId);
      const copy = event !== undefined && isLLMConvertible(event) ? maskedCopy(event, redaction) : undefined;
      if (copy !== undefined) tokens += remove(copy.id, sizeOfOriginal(view, copy.id) - view.tokensOf(copy));
    }
    return tokens;
  });
}

/** Returns the size of an event as it was logged. The summary of a condensation is named after it. */
function sizeOfOriginal(view: View, id: EventId): number {
  const event = view.original(id) ?? view.original(id.replace(/-summary-*$/, ''));
  if (event === undefined) return 0;
  if (isLLMConvertible(event)) return view.tokensOf(event);
  const isSummary = event.type === 'condensation' && typeof event.summary === 'string';
  return isSummary ? view.tokensOf(summaryEvent(event.summary)) : 0;
}
