import type { LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** More than a step adds, so that a reader also catches up with a history that it finds. Unit: events of each call. */
const eventsPerCall = 64;

/**
 * Reads the events of a view that were not read yet, the oldest first, at most {@link eventsPerCall} in a call: called at each step,
 * a later summary need not read all of them at once. The cost of a call has a bound, and is that of the new events in the long run.
 *
 * @param read Remembers what it has read: after an edit of the view it is called for the same events again.
 */
export function aheadReader(read: (event: LLMConvertibleEvent, view: View) => void): (view: View) => void {
  const readTo = new WeakMap<object, number>();
  return (view) => {
    const { events } = view;
    const list = events.source ?? view;
    let index = readTo.get(list) ?? 0;
    const end = Math.min(events.length, index + eventsPerCall);
    for (; index < end; index++) read(events.at(index) as LLMConvertibleEvent, view);
    readTo.set(list, index);
  };
}
