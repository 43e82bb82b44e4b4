import { createEvent as createEventByDefault, hostFilesOf, isToolResult, isUserMessage } from '@palimpsest/events';
import type { Condensation, CreateEvent, EventId, LLMConvertibleEvent, Redaction } from '@palimpsest/events';
import { protectedEventIds, waitingWords } from './protection.js';
import { cuttableLength, redactedCopy } from '../fold/redacted-copy.js';
import { viewOfLog } from '../log-view.js';
import type { View } from '../view.js';

/** The largest size of all the user's messages that wait for an answer. Unit: share of the window. */
const waitingShare = 1 / 4;
/** No text is cut to less. Unit: tokens. */
const leastTokens = 100;

/**
 * Returns a condensation with cuts of the user's messages that wait for an answer, if these are more than a quarter of
 * the window. The first and the latest message of the user stay whole. A host calls it before it appends a
 * condensation. Returns the same condensation if there is nothing to cut.
 *
 * @param contextWindow - unit: tokens; nothing is cut if it is not known
 */
export function withCutWords(view: View, made: Condensation, contextWindow: number | undefined): Condensation {
  if (contextWindow === undefined) return made;
  const stored = viewOfLog(view);
  const gone = new Set(made.forgottenEventIds);
  const words = waitingWords(stored).filter(({ id }) => !gone.has(id));
  // What files of the host weigh is an estimate, and the provider has refused nothing yet.
  const ofFiles = words.flatMap(hostFilesOf).reduce((sum, { tokens }) => sum + tokens, 0);
  const excess = sizeOf(stored, words) - ofFiles - contextWindow * waitingShare;
  if (excess <= 0) return made;
  const users = stored.events.filter(isUserMessage);
  const whole = new Set([users.at(0)?.id, users.at(-1)?.id]);
  const cuts = cutsOf(
    stored,
    words.filter(({ id }) => !whole.has(id)),
    excess,
  );
  return cuts.length === 0 ? made : { ...made, redactions: [...(made.redactions ?? []), ...cuts] };
}

/**
 * Returns a condensation that cuts the middle out of protected messages and results, the largest first, until the view
 * has the target's size. For a host whose request was refused, and for which nothing else is left to forget. Undefined
 * if no cut makes it smaller. Instructions in force are never cut.
 *
 * @param target - unit: tokens, as the view estimates
 */
export function cutProtected(
  view: View,
  target: number,
  { createEvent = createEventByDefault }: { readonly createEvent?: CreateEvent | undefined } = {},
): Condensation | undefined {
  const stored = viewOfLog(view);
  const events = eventsOf(stored, protectedEventIds(stored));
  const redactions = cutsOf(
    stored,
    events.filter((event) => event.type === 'message' || isToolResult(event)),
    stored.tokens() - target,
  );
  if (redactions.length === 0) return undefined;
  const metadata = { reason: 'protected-does-not-fit', tokensBefore: stored.tokens(), masked: redactions.length };
  return createEvent('condensation', { forgottenEventIds: [], redactions, metadata });
}

function eventsOf(view: View, ids: Iterable<EventId>): readonly LLMConvertibleEvent[] {
  return [...ids].flatMap((id) => view.events.at(view.indexOf(id) ?? view.events.length) ?? []);
}

function sizeOf(view: View, events: readonly LLMConvertibleEvent[]): number {
  return events.reduce((sum, event) => sum + view.tokensOf(event), 0);
}

/** Cuts that together save so many tokens, the largest event first. */
function cutsOf(view: View, events: readonly LLMConvertibleEvent[], excess: number): readonly Redaction[] {
  let left = excess;
  const bySize = events.toSorted((one, other) => view.tokensOf(other) - view.tokensOf(one));
  return bySize.flatMap((event) => {
    const size = view.tokensOf(event);
    const cutTo = (length: number) => {
      const redaction = { eventId: event.id, cut: { head: Math.floor(length), tail: Math.floor(length) } };
      const copy = redactedCopy(event, redaction);
      return { redaction, saved: copy === undefined ? 0 : size - view.tokensOf(copy) };
    };
    // Images stay, so only a part of the size can be saved.
    const savable = cutTo(0).saved;
    if (left <= 0 || savable <= leastTokens) return [];
    const share = Math.max(leastTokens / savable, 1 - left / savable);
    const { redaction, saved } = cutTo((cuttableLength(event) * share) / 2);
    if (saved <= 0) return [];
    left -= saved;
    return [redaction];
  });
}
