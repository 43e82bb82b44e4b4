import type { Condensation, EventId } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** A log of messages before a condensation. */
interface LogOfMessages {
  readonly view: View;
  /** The messages from which an event was made. */
  messagesOf(id: EventId): readonly number[];
  /** Returns the number of messages that a condensation in force covers. */
  coveredBy(id: EventId | undefined): number;
}

/**
 * Returns the number of the first messages of a list that decide what a condensation does: those with the events that
 * it names, those before its summary, and all up to the next cut point. 0 if it does nothing.
 */
export function coveredMessages(condensation: Condensation, log: LogOfMessages): number {
  const { forgottenEventIds, redactions = [], summary, summaryOffset = 0 } = condensation;
  const { view } = log;
  const named = [...forgottenEventIds, ...redactions.map(({ eventId }) => eventId)];
  if (named.length === 0) return 0;
  let end = Math.max(...named.map((id) => (view.indexOf(id) ?? -1) + 1));
  if (summary !== undefined) {
    const forgotten = new Set(forgottenEventIds);
    const kept = [...view.events].flatMap(({ id }, index) => (forgotten.has(id) ? [] : [index]));
    // A summary behind all that is kept stands at the end of any list.
    if (summaryOffset < kept.length) end = Math.max(end, (kept[summaryOffset - 1] ?? -1) + 1);
  }
  const covered = [...view.events.slice(0, view.cutPoints.atOrAfter(end) ?? view.events.length)];
  const counts = covered.flatMap((event) =>
    // What an earlier condensation did before here decides too.
    event.type === 'condensation-summary'
      ? [log.coveredBy(event.condensationId)]
      : log.messagesOf(event.id).map((message) => message + 1),
  );
  return Math.max(0, ...counts);
}
