import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { coveredEvents, originalsOf } from './covered-events.js';
import type { EventEntry, SummaryEntry, Timeline } from './timeline.js';

/** An event that a summary can cover. */
export interface WindowItem {
  readonly event: LLMConvertibleEvent;
  readonly invocation: EventId;
  /** Its index in the view; undefined for an event that a summary of this condenser replaced. */
  readonly index: number | undefined;
  readonly isNew: boolean;
}

/**
 * The events of a timeline between two entries, with the raw events in place of this condenser's summaries. Each event occurs
 * once, in log order as far as the summaries record it. System prompts are not summarised. For summaries before `wholeFrom` only
 * the last `invocations` are read.
 */
export function windowItems(
  view: View,
  { entries }: Timeline,
  range: { readonly from: number; readonly to: number; readonly wholeFrom: number; readonly invocations: number },
): readonly WindowItem[] {
  const original = originalsOf(view);
  const items: WindowItem[] = [];
  const seen = new Set<EventId>();
  const add = (item: WindowItem): void => {
    if (seen.has(item.event.id)) return;
    seen.add(item.event.id);
    items.push(item);
  };
  for (let position = range.from; position < range.to; position++) {
    const entry = entries[position] as EventEntry | SummaryEntry;
    if (entry.kind === 'event') {
      if (entry.invocation === undefined || entry.event.type === 'system-prompt') continue;
      add({ event: entry.event, invocation: entry.invocation, index: entry.index, isNew: entry.isNew });
      continue;
    }
    const invocations = position < range.wholeFrom ? range.invocations : Infinity;
    for (const { id, invocation } of coveredEvents(view, entry.record, invocations).events) {
      // An event that a record claims to cover and that is in the view is listed at its position in the view.
      const event = view.indexOf(id) === undefined ? original(id) : undefined;
      if (event !== undefined) add({ event, invocation, index: undefined, isNew: false });
    }
  }
  return items;
}
