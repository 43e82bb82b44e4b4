import type { LLMConvertibleEvent } from '@palimpsest/events';
import { forgettableEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { Selection } from './select-middle.js';

/** The content that forgetting a range removes. */
export interface RangeContent {
  /** The forgotten events in order, summaries included. Protected events stay and are not in this list. */
  readonly forgotten: readonly LLMConvertibleEvent[];
  /** The forgotten events without the summaries. */
  readonly events: readonly LLMConvertibleEvent[];
  /** The texts of the forgotten summaries, concatenated; undefined if there is none. */
  readonly previousSummary: string | undefined;
  /** Unit: tokens, as the view estimates. */
  readonly tokens: number;
  /** The index of the first forgotten event: the view counts the tokens of a summary at this position. */
  readonly place: number;
}

/**
 * The content that forgetting a range between two cut points removes. Undefined if it is empty or a single summary: rewriting one
 * summary is no progress.
 */
export function rangeContent(view: View, { start, end }: Selection): RangeContent | undefined {
  const goes = forgettableEventIds(view, { start, end });
  const forgotten: LLMConvertibleEvent[] = [];
  const summaries: string[] = [];
  let tokens = 0;
  let place: number | undefined;
  for (let index = start; index < end; index++) {
    const event = view.events.at(index);
    if (event === undefined || !goes.has(event.id)) continue;
    place ??= index;
    forgotten.push(event);
    tokens += view.tokens(index, index + 1);
    if (event.type === 'condensation-summary') summaries.push(event.summary);
  }
  const events = forgotten.filter((event) => event.type !== 'condensation-summary');
  if (place === undefined || (events.length === 0 && summaries.length < 2)) return undefined;
  return {
    forgotten,
    events,
    previousSummary: summaries.length === 0 ? undefined : summaries.join('\n\n'),
    tokens,
    place,
  };
}
