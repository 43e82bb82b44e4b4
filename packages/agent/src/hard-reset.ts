import { isToolResult, toolResultContent } from '@palimpsest/events';
import type { Condensation, CreateEvent, Redaction } from '@palimpsest/events';
import { condensation, NoCondensationAvailableError } from '@palimpsest/view';
import type { View } from '@palimpsest/view';

const summary =
  'Earlier steps of this work were dropped, because the history did not fit into the window. Look at the present state of ' +
  'things before you go on.';

/** A result that is longer than this is masked when nothing else is left to give up. Unit: characters. */
const longResult = 2_000;

/**
 * The last resort of a host whose condenser has not made the history fit: forgets all but what is protected and the newest
 * unit; where nothing of that is left, masks the long results. Undefined when neither makes the view smaller.
 */
export function hardReset(view: View, createEvent: CreateEvent): Condensation | undefined {
  const end = view.cutPoints.atOrBefore(view.events.length - 1) ?? 0;
  const metadata = { condenser: 'agent', reason: 'hard-reset', tokensBefore: view.tokens() };
  const attempts = [
    { view, start: 0, end, summary, metadata, createEvent },
    { view, redactions: maskingOf(view), metadata, createEvent },
  ];
  for (const options of attempts) {
    try {
      return condensation(options);
    } catch (error) {
      if (!NoCondensationAvailableError.isInstance(error)) throw error;
    }
  }
  return undefined;
}

function maskingOf(view: View): readonly Redaction[] {
  return [...view.events].flatMap((event) => {
    if (!isToolResult(event) || event.redacted === true || view.leftOut.has(event.id)) return [];
    const characters = toolResultContent(event).reduce(
      (sum, part) => sum + (part.type === 'text' ? part.text.length : longResult),
      0,
    );
    const text = `[This result was removed, because the history did not fit into the window: ${characters} characters.]`;
    return characters > longResult ? [{ eventId: event.id, text }] : [];
  });
}
