import { InvalidEventError, parseEvent } from '@palimpsest/events';
import type { Condensation, EventId } from '@palimpsest/events';
import { pinnedEventIds } from './pins.js';
import { protectedEventIds } from './protection.js';
import { viewOfLog } from '../log-view.js';
import type { View } from '../view.js';

/** The reason why a host rejects the result of a condenser. */
export interface CondensationProblem {
  /** `invalid`: the result is not a condensation, or names only what is not there. `protected`: it forgets or masks protected events. */
  readonly kind: 'invalid' | 'protected';
  readonly reason: string;
  /** The protected events that the result names. */
  readonly eventIds: readonly EventId[];
}

/**
 * Returns the problem of a condensation for the log of a view. Undefined if there is none. A host calls it before it appends a
 * condensation, with the view of the whole log. A value that is no valid event of the log (no event, not plain data, an id that
 * is taken) is a problem. So is a condensation that names only events that are not in the view. So is one that forgets, masks or
 * cuts a protected event ({@link protectedEventIds}). An empty condensation is none: it ends the step as any other does.
 *
 * @param options - `protects`: the condenser's declaration. `false` allows the user's messages to be forgotten, and nothing
 *   else
 */
export function condensationProblem(
  view: View,
  condensation: unknown,
  options: { readonly protects?: boolean | undefined } = {},
): CondensationProblem | undefined {
  const stored = viewOfLog(view);
  let parsed: Condensation;
  try {
    const event = parseEvent(condensation);
    if (event.type !== 'condensation') return invalid(`it is an event of type '${event.type}'`);
    parsed = event;
  } catch (error) {
    if (!InvalidEventError.isInstance(error)) throw error;
    return invalid(error.message);
  }
  if (stored.original(parsed.id) !== undefined) return invalid(`the log has an event '${parsed.id}' already`);
  const named = [...parsed.forgottenEventIds, ...(parsed.redactions ?? []).map(({ eventId }) => eventId)];
  if (named.length === 0) return undefined;

  const kept = protectedEventIds(stored, { userWords: options.protects !== false });
  const lost = [...new Set(named)].filter((id) => kept.has(id));
  if (lost.length > 0) {
    return { kind: 'protected', reason: `it forgets or masks what is protected: ${lost.join(', ')}`, eventIds: lost };
  }
  if (named.some((id) => stored.indexOf(id) !== undefined)) return undefined;
  // Internal events, such as directives, can be forgotten too.
  const internal = new Set([...stored.internalEvents].map(({ id }) => id));
  return parsed.forgottenEventIds.some((id) => internal.has(id))
    ? undefined
    : invalid('it names nothing that the view holds');
}

/**
 * Returns the problem of a view that a condenser returned; undefined if there is none. The view must be made from the
 * condenser's input by `replace` and `without`, and must contain all pinned events unmasked. A view may lack the
 * instructions or the user's messages: a host adds them to the request.
 */
export function condensedViewProblem(view: View, result: View): CondensationProblem | undefined {
  const isDerived =
    viewOfLog(result) === viewOfLog(view) && Object.getPrototypeOf(result) === (Object.getPrototypeOf(view) as object);
  if (!isDerived) return invalid('the view is not made from the one that it was given');
  if (result === view) return undefined;
  const lost = [...pinnedEventIds(view)].filter((id) => {
    const [before, after] = [view, result].map((one) => one.events.at(one.indexOf(id) ?? one.events.length));
    return after === undefined || (isMasked(after) && !isMasked(before));
  });
  return lost.length === 0
    ? undefined
    : { kind: 'protected', reason: `the view lacks or masks what is pinned: ${lost.join(', ')}`, eventIds: lost };
}

function isMasked(event: object | undefined): boolean {
  return event !== undefined && 'redacted' in event && event.redacted === true;
}

function invalid(reason: string): CondensationProblem {
  return { kind: 'invalid', reason, eventIds: [] };
}
