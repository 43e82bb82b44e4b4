import { InvalidEventError, parseEvent } from '@palimpsest/events';
import type { Condensation, EventId } from '@palimpsest/events';
import { pinnedEventIds } from './pinned-events.js';
import { protectedEventIds } from './protected-events.js';
import { viewOfLog } from './view-of-log.js';
import type { View } from './view.js';

/** Why a host does not take what a condenser returned. */
export interface CondensationProblem {
  /** `invalid`: it is no condensation, or does nothing; `protected`: it forgets or masks what it may not. */
  readonly kind: 'invalid' | 'protected';
  readonly reason: string;
  /** The protected events among those that it names. */
  readonly eventIds: readonly EventId[];
}

/**
 * What is wrong with a condensation for the log of a view; undefined where nothing is. A host asks before it appends one, with
 * the view of all that the log holds by then. Wrong is what no log takes (not an event, no plain data, an id that is taken), what
 * names nothing that the view holds, and what forgets or masks a protected event: the system prompt in force, the user's first and
 * latest words, what is pinned.
 *
 * @param options - `protects: false`, as the condenser declares it, allows the user's words to be forgotten, and no more
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
  if (named.length === 0) return invalid('it forgets nothing and masks nothing');

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
 * What is wrong with a view that a condenser returned for another: it is not made from that one by `replace` and `without`, or
 * it lacks or masks what is pinned. Undefined where nothing is. A view without the instructions or the user's words is not
 * wrong: a host adds them to the request.
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
