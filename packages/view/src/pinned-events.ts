import { isToolResult } from '@palimpsest/events';
import type { Event, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { matchingEvents } from './matching-events.js';
import type { View } from './view.js';

/** Keeps the events that it names, from then on. `@palimpsest/condensers` makes them. */
const pinType = 'condensers/pin';
/** Ends that. */
const unpinType = 'condensers/unpin';

/**
 * The pinned events of a view, by the `condensers/pin` and `condensers/unpin` events of the log (`eventIds`: what they name). A
 * call or a result is never kept without what it belongs to: its unit between two cut points is pinned with it, and the other
 * half of a late pair.
 */
export function pinnedEventIds(view: View): ReadonlySet<EventId> {
  const named = namedIds(view);
  if (named.size === 0) return named;
  const pinned = new Set<EventId>();
  const addUnit = (index: number): void => {
    const start = view.cutPoints.atOrBefore(index) ?? 0;
    const end = view.cutPoints.atOrAfter(index + 1) ?? view.events.length;
    for (const { id } of view.events.slice(start, end)) pinned.add(id);
  };
  for (const id of named) {
    const index = view.indexOf(id);
    const event = index === undefined ? undefined : view.events.at(index);
    if (index === undefined || event === undefined) continue;
    const callId = callIdOf(event);
    if (callId === undefined) {
      pinned.add(id);
      continue;
    }
    addUnit(index);
    const other = otherHalf(view, index, callId);
    if (other !== undefined) addUnit(other);
  }
  return pinned;
}

const pinsIn = matchingEvents<Event>(({ type }) => type === pinType || type === unpinType);

function namedIds(view: View): ReadonlySet<EventId> {
  const named = new Set<EventId>();
  const { internalEvents } = view;
  const pins = pinsIn(internalEvents);
  for (let place = 0; place < pins.count; place++) {
    const event = internalEvents.at(pins.at(place) ?? 0);
    const ids: unknown = event !== undefined && 'eventIds' in event ? event.eventIds : undefined;
    if (!Array.isArray(ids)) continue;
    for (const id of ids as readonly unknown[]) {
      if (typeof id !== 'string') continue;
      if (event?.type === pinType) named.add(id);
      else named.delete(id);
    }
  }
  return named;
}

function callIdOf(event: LLMConvertibleEvent): string | undefined {
  return event.type === 'action' ? event.toolCall.id : isToolResult(event) ? event.toolCallId : undefined;
}

/** The nearest call of a result, or result of a call. What is not sent, such as a doubled call, answers nothing. */
function otherHalf(view: View, index: number, callId: string): number | undefined {
  const step = view.events.at(index)?.type === 'action' ? 1 : -1;
  for (let at = index + step; at >= 0 && at < view.events.length; at += step) {
    const event = view.events.at(at);
    if (event === undefined || callIdOf(event) !== callId || view.leftOut.has(event.id)) continue;
    // The same id again is a later call's.
    return (event.type === 'action') === (step === -1) ? at : undefined;
  }
  return undefined;
}
