import { isToolResult } from '@palimpsest/events';
import type { Condensation, CondensationSummaryEvent, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { newestStep, redactedCopy } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/** What a condensation changes in a view. Unit: tokens, as the view estimates. */
export interface Change {
  readonly savedTokens: number;
  /** What stands behind the first change and before the newest step, the summary included. */
  readonly rewrittenTokens: number;
  /** What stands before the first change: the part that the prompt cache still serves. */
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

function savedBy(
  view: View,
  event: LLMConvertibleEvent,
  index: number,
  forgotten: ReadonlySet<EventId>,
  masked: ReadonlyMap<EventId, { readonly text?: string | undefined; readonly arguments?: string | undefined }>,
): number {
  const tokens = view.tokens(index, index + 1);
  if (forgotten.has(event.id)) return tokens;
  const mask = masked.get(event.id);
  if (mask === undefined || !(event.type === 'action' || isToolResult(event))) return 0;
  const { text, arguments: input } = mask;
  const copy = redactedCopy(event, {
    ...(text === undefined ? {} : { text }),
    ...(input === undefined ? {} : { arguments: input }),
  });
  return copy === undefined ? 0 : tokens - view.tokensOf(copy);
}

function summaryEvent(summary: string): CondensationSummaryEvent {
  return { type: 'condensation-summary', id: 'summary', timestamp: '', source: 'environment', summary };
}
