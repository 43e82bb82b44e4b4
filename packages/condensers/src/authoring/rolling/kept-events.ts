import { protectedEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { EventId } from '@palimpsest/events';

/** The protected events of a view and of the stored view that it may be derived from. */
export function keptEventIds(view: View): ReadonlySet<EventId> {
  return view.stored === view
    ? protectedEventIds(view)
    : new Set([...protectedEventIds(view), ...protectedEventIds(view.stored)]);
}
