import type { CreateEvent, Event, EventId } from '@palimpsest/events';
import { View } from '@palimpsest/view';
import { nothingToForget } from './condense-once.js';
import { CondensationNotInForceError } from '../errors.js';

/**
 * The events that revert a condensation: the revert, and before it an empty condensation if the reverted one had answered a
 * request. Without it the request would be open again, and the next step would make the same condensation.
 *
 * @throws {@link CondensationNotInForceError} when the log holds no condensation of this id, or it is already reverted.
 */
export function revertOf(
  condensationId: EventId,
  state: { readonly conversationId: string; readonly view: View; readonly log: Iterable<Event> },
  createEvent: CreateEvent,
): readonly Event[] {
  const { conversationId, view, log } = state;
  if (!view.condensations.some(({ id }) => id === condensationId)) {
    const isKnown = view.original(condensationId)?.type === 'condensation';
    throw new CondensationNotInForceError(conversationId, condensationId, isKnown ? 'reverted' : 'unknown');
  }
  const revert = createEvent('condensation-revert', { condensationId });
  const isReopened =
    !view.unhandledCondensationRequest && View.fromEvents([...log, revert]).unhandledCondensationRequest;
  return isReopened ? [nothingToForget('agent', createEvent), revert] : [revert];
}
