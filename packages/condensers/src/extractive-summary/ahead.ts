import type { LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** The number of newest events that are read ahead at most: more than a step adds. Unit: events. */
const aheadAtMost = 64;

/**
 * Reads the newest events of a view that it has not read before, so that a later summary need not read all of them at once. The cost
 * is that of the new events.
 *
 * @param read Remembers what it has read.
 */
export function aheadReader(read: (event: LLMConvertibleEvent, view: View) => void): (view: View) => void {
  const before = new WeakSet<LLMConvertibleEvent>();
  return (view) => {
    const end = Math.max(0, view.events.length - aheadAtMost);
    for (let index = view.events.length - 1; index >= end; index--) {
      const event = view.events.at(index);
      if (event === undefined || before.has(event)) return;
      before.add(event);
      read(event, view);
    }
  };
}
