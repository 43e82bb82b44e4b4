import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';
import { coveredEvents, originalsOf } from './covered-events.js';
import type { EventEntry, SummaryEntry, Timeline } from './timeline.js';

/** An event that a summary may be made of. */
export interface WindowItem {
  readonly event: LLMConvertibleEvent;
  readonly invocation: EventId;
  /** Where it stands in the view; undefined for what a summary of ours has taken the place of. */
  readonly index: number | undefined;
  readonly isNew: boolean;
}

/**
 * The events of a timeline from one entry to another, with the raw events in the place of our own summaries: each event once, in
 * the order of the log as far as the summaries tell it. System prompts are nothing to summarise. Of summaries before `wholeFrom` only the last `invocations` are read.
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
      // What a record claims to cover and what stands in the view comes where it stands.
      const event = view.indexOf(id) === undefined ? original(id) : undefined;
      if (event !== undefined) add({ event, invocation, index: undefined, isNew: false });
    }
  }
  return items;
}
