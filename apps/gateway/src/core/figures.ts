import { rereadsIn } from '@palimpsest/condensers';
import type { Event, EventId } from '@palimpsest/events';
import { isToolResult } from '@palimpsest/events';
import type { Fitted } from '@palimpsest/messages';
import { View } from '@palimpsest/view';
import { CondensationHistory } from '@palimpsest/view/inspect';
import type { CondensationReceipt, Rereads } from '../receipts/receipt.js';

/** Returns the condensations that a fit has made, in numbers. Costs a fold of the log if there are any. */
export function condensationReceipts({ condensations, events }: Fitted<unknown>): readonly CondensationReceipt[] {
  if (condensations.length === 0) return [];
  const history = new CondensationHistory(events);
  return condensations.flatMap(({ id, metadata }): readonly CondensationReceipt[] => {
    const details = history.details(id);
    if (details === undefined) return [];
    const { forgotten, masked, savedTokens, rewrittenTokens } = details;
    const results = [...forgotten, ...masked.filter(({ what }) => what === 'result')].map(({ event }) => event);
    if (forgotten.length + masked.length === 0) return [];
    const hidden: Record<string, number> = {};
    for (const result of results.filter(isToolResult)) {
      const name = result.toolName ?? 'unknown';
      hidden[name] = (hidden[name] ?? 0) + 1;
    }
    const reason = metadata?.['reason'];
    return [{ id, reason: typeof reason === 'string' ? reason : 'unknown', hidden, savedTokens, rewrittenTokens }];
  });
}

/** The re-reads of the newest answer, and which answer that is. */
export interface NewestRereads {
  readonly answer: EventId;
  readonly rereads: Rereads;
}

/**
 * Returns which calls of the newest answer brought hidden text back. Undefined if there is no answer with results. What this fit has condensed
 * was in view when they were made.
 */
export function newestRereads({ condensations, events, view }: Fitted<unknown>): NewestRereads | undefined {
  const [first] = condensations;
  const before =
    first === undefined
      ? view
      : View.fromEvents(
          events.slice(
            0,
            events.findIndex(({ id }) => id === first.id),
          ),
        );
  const answer = newestAnswer(before);
  if (answer === undefined) return undefined;
  const start = before.indexOf(answer) ?? 0;
  const last = start === 0 ? undefined : before.events[start - 1];
  const after = last === undefined ? undefined : before.positionOf(last.id);
  const found = rereadsIn(before, { after, quoted: true }).filter(({ response }) => response === answer);
  const sumOf = (sizeOf: (one: (typeof found)[number]) => number) => found.reduce((sum, one) => sum + sizeOf(one), 0);
  return {
    answer,
    rereads: {
      results: found.length,
      tokens: sumOf(({ tokens, outputTokens }) => tokens + outputTokens),
      outputTokens: sumOf(({ outputTokens }) => outputTokens),
      isAlone: found.some(({ isAlone }) => isAlone),
    },
  };
}

function newestAnswer(view: View): EventId | undefined {
  for (let index = view.events.length - 1; index >= 0; index--) {
    const event = view.events[index] as Event;
    if (!isToolResult(event)) continue;
    const call = view.callOf(event.id);
    return call && view.responseOf(call.id);
  }
  return undefined;
}
