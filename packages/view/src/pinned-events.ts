import { isToolResult } from '@palimpsest/events';
import type { Event, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { matchingEvents } from './matching-events.js';
import { withoutProperties } from './run-units.js';
import type { View } from './view.js';

/** Keeps the events that it names, from then on ({@link pin}). The second type is that of older logs. */
const pinTypes: ReadonlySet<string> = new Set(['view/pin', 'condensers/pin']);
/** Ends that ({@link unpin}). */
const unpinTypes: ReadonlySet<string> = new Set(['view/unpin', 'condensers/unpin']);

/** Whether an event is pinned, and the pin or unpin event that made it so. */
export interface PinState {
  readonly isPinned: boolean;
  readonly since: EventId;
}

/** True for an event that pins others, or ends that. Only the user and the application may append one. */
export function isPin(event: Event): boolean {
  return pinTypes.has(event.type) || unpinTypes.has(event.type);
}

/**
 * The pinned events of a view, by the `view/pin` and `view/unpin` events of the log (`eventIds`: what they name). A call or a
 * result is never kept without what it belongs to: its unit between two cut points is pinned with it, and the other half of a
 * late pair.
 */
export function pinnedEventIds(view: View): ReadonlySet<EventId> {
  const pinned = new Set<EventId>();
  for (const [id, { isPinned }] of pinStates(view)) if (isPinned) pinned.add(id);
  return pinned;
}

/** What {@link pinnedEventIds} tells, for every event of the view that was ever pinned, with the moment of the last change. */
export function pinStates(view: View): ReadonlyMap<EventId, PinState> {
  const named = namedIds(view);
  const states = new Map<EventId, PinState>();
  const set = (id: EventId, state: PinState): void => {
    // What one name keeps stays, whatever became of another, and since the first of them.
    if (states.get(id)?.isPinned !== true) states.set(id, state);
  };
  const { cutPoints } = withoutProperties(view);
  const setUnit = (index: number, state: PinState): void => {
    const start = cutPoints.atOrBefore(index) ?? 0;
    const end = cutPoints.atOrAfter(index + 1) ?? view.events.length;
    for (const { id } of view.events.slice(start, end)) set(id, state);
  };
  for (const [id, state] of named) {
    const index = view.indexOf(id);
    const event = index === undefined ? undefined : view.events.at(index);
    if (index === undefined || event === undefined) continue;
    const callId = callIdOf(event);
    if (callId === undefined) {
      set(id, state);
      continue;
    }
    setUnit(index, state);
    const other = otherHalf(view, index, callId);
    if (other !== undefined) setUnit(other, state);
  }
  return states;
}

const pinsIn = matchingEvents<Event>(isPin);

/** In the order in which they came to be what they are. */
function namedIds(view: View): ReadonlyMap<EventId, PinState> {
  const named = new Map<EventId, PinState>();
  const { internalEvents } = view;
  const pins = pinsIn(internalEvents);
  for (let place = 0; place < pins.count; place++) {
    const event = internalEvents.at(pins.at(place) ?? 0);
    const ids: unknown = event !== undefined && 'eventIds' in event ? event.eventIds : undefined;
    if (event === undefined || !Array.isArray(ids)) continue;
    const isPinned = pinTypes.has(event.type);
    for (const id of ids as readonly unknown[]) {
      if (typeof id !== 'string' || (named.get(id)?.isPinned ?? false) === isPinned) continue;
      named.delete(id);
      named.set(id, { isPinned, since: event.id });
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
