import type { LLMConvertibleEvent } from '@palimpsest/events';
import { forgettableEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { Selection } from './select-middle.js';

/** What forgetting a range takes away. */
export interface RangeContent {
  /** What goes, in order, summaries among it. What is protected stays, and is not here. */
  readonly forgotten: readonly LLMConvertibleEvent[];
  /** What goes, without the summaries. */
  readonly events: readonly LLMConvertibleEvent[];
  /** The summaries that go, whole, one behind the other; undefined where there is none. */
  readonly previousSummary: string | undefined;
  /** Unit: tokens, as the view estimates. */
  readonly tokens: number;
  /** The index of the first event that goes: in its place a summary counts as the view would count it. */
  readonly place: number;
}

/**
 * What a range between two cut points would forget. Undefined where that is nothing, or nothing but one summary, which to write
 * anew would be no progress.
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
