import type { View } from '@palimpsest/view';

/** A longer focus is refused: it is a wish, not a document. Unit: characters. */
const longestFocus = 4_000;

/** @throws RangeError when it is too long. */
export function assertFocus(focus: string | undefined): void {
  if (focus === undefined || focus.length <= longestFocus) return;
  throw new RangeError(`The focus of a condensation has ${focus.length} characters; it may have ${longestFocus}.`);
}

/**
 * What the user wants the condensation to keep in view that a view asks for: the focus of the newest open request of theirs. What a
 * tool or a model asked for is not the user's word.
 */
export function requestedFocus(view: View): string | undefined {
  if (!view.unhandledCondensationRequest) return undefined;
  const { internalEvents } = view;
  for (let place = internalEvents.length - 1; place >= 0; place--) {
    const event = internalEvents.at(place);
    // What was asked for before was answered by it.
    if (event?.type === 'condensation') return undefined;
    if (event?.type === 'condensation-request' && event.source === 'user' && event.focus !== undefined) {
      return event.focus;
    }
  }
  return undefined;
}
