import { isToolResult } from '@palimpsest/events';
import type { Condensation } from '@palimpsest/events';
import { condensation, newestStep, NoCondensationAvailableError } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

/** The indices of the tool results that were not cleared yet, oldest first. */
export function resultsIn(view: View): readonly number[] {
  return [...view.events].flatMap((event, index) => (isToolResult(event) && event.redacted !== true ? [index] : []));
}

/** Replaces results by a text. Those of the newest step stay, because no request has shown them. The view, if none may be cleared. */
export function clearResults(
  view: View,
  results: readonly number[],
  { name, text }: { readonly name: string; readonly text: string },
): View | Condensation {
  const end = newestStep(view).cutPoint;
  const redactions = results.flatMap((index) => {
    const event = view.events.at(index);
    return event === undefined || index >= end ? [] : [{ eventId: event.id, text }];
  });
  try {
    return condensation({ view, redactions, metadata: { condenser: name, tokensBefore: view.tokens() } });
  } catch (error) {
    if (NoCondensationAvailableError.isInstance(error)) return view;
    throw error;
  }
}
