import { isToolResult } from '@palimpsest/events';
import type { Condensation } from '@palimpsest/events';
import {
  condensation,
  keptEventIds,
  newestStep,
  NoCondensationAvailableError,
  withoutProperties,
} from '@palimpsest/view';
import type { View } from '@palimpsest/view';

const metadata = { condenser: 'messages', reason: 'hard-reset' } as const;
const summary =
  'Earlier steps of this work were dropped, because the history did not fit into the window. Look at the present state of ' +
  'things before you go on.';
const mask = 'This result was too large to be shown. Ask for a smaller part of it.';

/**
 * Makes room when the condenser has not: forgets the oldest steps until the rest fits into `target`, and masks results where that does
 * not suffice, the largest first. Undefined if nothing makes the view smaller.
 *
 * @param target - unit: tokens, as the view estimates
 */
export function hardReset(view: View, target: number): Condensation | undefined {
  const newest = newestStep(view).start;
  const end = [...view.cutPoints].find((cut) => cut >= newest || view.tokens(cut) <= target) ?? newest;
  const kept = keptEventIds(view);
  let left = view.tokens(end);
  const large = [...view.events.slice(end)]
    .filter((event) => isToolResult(event) && !kept.has(event.id) && view.tokensOf(event) > 100)
    .sort((one, other) => view.tokensOf(other) - view.tokensOf(one));
  const redactions = large.flatMap((event) => {
    if (left <= target) return [];
    left -= view.tokensOf(event);
    return [{ eventId: event.id, text: mask }];
  });
  try {
    return condensation({ view: withoutProperties(view), start: 0, end, summary, redactions, metadata });
  } catch (error) {
    if (NoCondensationAvailableError.isInstance(error)) return undefined;
    throw error;
  }
}
