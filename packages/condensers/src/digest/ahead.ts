import type { LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** More than most steps add. Unit: events of each call. */
const eventsPerCall = 16;

/**
 * Reads the newest events of a view, at most {@link eventsPerCall} in a call: called at each step, a later summary need not read
 * all of them at once.
 *
 * @param read - remembers what it has read: it is called for the same events again
 */
export function aheadReader(read: (event: LLMConvertibleEvent, view: View) => void): (view: View) => void {
  return (view) => {
    for (const event of view.events.slice(-eventsPerCall)) read(event, view);
  };
}
