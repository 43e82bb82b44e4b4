import { createEvent as createEventByDefault, InvalidEventError, isToolResult } from '@palimpsest/events';
import type { CreateEvent, CustomEvent, Event, EventId } from '@palimpsest/events';
import { withoutProperties } from '../log-view.js';
import type { View } from '../view.js';

/** Options of {@link pin} and {@link unpin}. */
export interface PinOptions {
  /** The author of the pin: the user, or the application. @defaultValue `user` */
  readonly source?: 'user' | 'environment' | undefined;
  /** The reason, for people who read the log. @defaultValue none */
  readonly reason?: string | undefined;
  /** @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/**
 * An event that protects other events from being forgotten or masked, from its position in the log on. No model reads
 * it.
 */
export interface PinEvent extends CustomEvent {
  readonly type: 'view/pin' | 'view/unpin';
  readonly eventIds: readonly EventId[];
  readonly reason?: string;
}

/**
 * Makes the event that pins other events. Append it to the log. Pinned events are protected from condensation. Pinning
 * a call or a result also pins the other calls and results of its batch. Events that were forgotten before stay
 * forgotten, and ids that are not in the log are ignored. Pinned events do not count towards the bounds of condensers.
 *
 * @throws {@link InvalidEventError} when `eventIds` is neither an id nor a list of ids, or an id is not a non-empty string.
 *
 * @example
 * ```ts
 * log.append(pin(requirements.id));
 * ```
 */
export function pin(eventIds: EventId | readonly EventId[], options: PinOptions = {}): PinEvent {
  return pinEvent('view/pin', eventIds, options);
}

/** Makes the event that ends {@link pin} for some events. */
export function unpin(eventIds: EventId | readonly EventId[], options: PinOptions = {}): PinEvent {
  return pinEvent('view/unpin', eventIds, options);
}

function pinEvent(type: PinEvent['type'], eventIds: EventId | readonly EventId[], options: PinOptions): PinEvent {
  const { source = 'user', reason, createEvent = createEventByDefault } = options;
  const ids: unknown = typeof eventIds === 'string' ? [eventIds] : eventIds;
  if (!isList(ids)) {
    const reason = 'pass the id of an event, or a list of ids: event.id, not the event';
    throw new InvalidEventError({ reason, path: ['eventIds'], eventType: type });
  }
  for (const [index, id] of ids.entries()) {
    if (typeof id === 'string' && id !== '') continue;
    const reason = 'must be the id of an event';
    throw new InvalidEventError({ reason, path: ['eventIds', index], eventType: type });
  }
  return createEvent(type, { source, eventIds: [...ids], reason }) as PinEvent;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The types of events that pin ({@link pin}). The second type occurs in older logs. */
const pinTypes: ReadonlySet<string> = new Set(['view/pin', 'condensers/pin']);
/** The types of events that unpin ({@link unpin}). The second type occurs in older logs. */
const unpinTypes: ReadonlySet<string> = new Set(['view/unpin', 'condensers/unpin']);

/** The state of an event, pinned or not, and the pin or unpin event that made it so. */
export interface PinState {
  readonly isPinned: boolean;
  readonly since: EventId;
}

/** Returns true for an event that pins or unpins other events. Only the user and the application may append one. */
export function isPin(event: Event): boolean {
  return pinTypes.has(event.type) || unpinTypes.has(event.type);
}

/**
 * Returns the pinned events of a view, computed from the `view/pin` and `view/unpin` events of the log (field
 * `eventIds`). A pinned call or result also pins its unit between two cut points, and the other half of a late pair.
 */
export function pinnedEventIds(view: View): ReadonlySet<EventId> {
  const pinned = new Set<EventId>();
  for (const [id, { isPinned }] of pinStates(view)) if (isPinned) pinned.add(id);
  return pinned;
}

/**
 * Returns the pin state of every event of the view that was ever pinned, with the event that last changed it. See
 * {@link pinnedEventIds}.
 */
export function pinStates(view: View): ReadonlyMap<EventId, PinState> {
  const named = namedIds(view);
  const states = new Map<EventId, PinState>();
  if (named.size === 0) return states;
  const set = (id: EventId, state: PinState): void => {
    // If several pinned ids keep an event, the first state counts: the event stays pinned even if another of these ids is
    // unpinned.
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
    if (event.type !== 'action' && !isToolResult(event)) {
      set(id, state);
      continue;
    }
    setUnit(index, state);
    const other = event.type === 'action' ? view.resultOf(id) : view.callOf(id);
    const otherIndex = other && view.indexOf(other.id);
    if (otherIndex !== undefined) setUnit(otherIndex, state);
  }
  return states;
}

/** The ids named by pin and unpin events, in the order of their last change. */
function namedIds(view: View): ReadonlyMap<EventId, PinState> {
  const named = new Map<EventId, PinState>();
  for (const event of view.internalEvents) {
    const ids: unknown = isPin(event) && 'eventIds' in event ? event.eventIds : undefined;
    if (!Array.isArray(ids)) continue;
    const isPinned = pinTypes.has(event.type);
    for (const id of ids as readonly unknown[]) {
      if (typeof id !== 'string' || (named.get(id)?.isPinned ?? false) === isPinned) continue;
      named.delete(id);
      named.set(id, { isPinned, since: event.id });
    }
  }
  return named;
}
