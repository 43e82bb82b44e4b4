import { createEvent as createEventByDefault } from '@palimpsest/events';
import type { Condensation, CreateEvent, EventId, Redaction } from '@palimpsest/events';
import { NoCondensationAvailableError } from '../errors.js';
import { forgettable } from './forgettable.js';
import type { Selection } from './forgettable.js';
import { keptEventIds } from './kept-events.js';
import { isRedactable } from '../fold/redacted-copy.js';
import type { View } from '../view.js';

/** Options of {@link condensation}. */
export interface CondensationOptions extends Selection {
  /** The view that the host passed to the condenser, or a view derived from it. */
  readonly view: View;
  /** The text that replaces the forgotten events. @defaultValue no summary */
  readonly summary?: string | undefined;
  /**
   * The events to mask in place. Ignored for forgotten, protected or pinned events, events outside the view, and redactions
   * that do not fit. @defaultValue nothing
   */
  readonly redactions?: readonly Redaction[] | undefined;
  /** Data for replay and for people who read the log: condenser, reason, tokens before and after. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/**
 * Makes a condensation that is safe to append. It forgets a range, units or single events. It never forgets half of a batch, a
 * protected event or a pinned event ({@link forgettableEventIds} returns the events that remain forgettable). The summary is
 * placed after the last kept event inside the range (or inside the selection, if there is no range), so that the model does not
 * take finished work for a new request. If no event inside is kept, the summary is placed at the start. Offsets and ids refer
 * to the log's view, even if `view` is a derived view.
 *
 * @throws {@link NoCondensationAvailableError} when nothing is left to forget or to mask.
 */
export function condensation(options: CondensationOptions): Condensation {
  const { view, createEvent = createEventByDefault, summary, metadata } = options;
  const { ids, summaryPlace, beforeSummary } = forgettable(view, options);
  const redactions = allowedRedactions(view, options.redactions ?? [], ids);
  if (ids.length === 0 && redactions.length === 0) throw new NoCondensationAvailableError(nothingIn(options));
  return createEvent('condensation', {
    forgottenEventIds: ids,
    ...(redactions.length === 0 ? {} : { redactions }),
    ...(summary === undefined || ids.length === 0 ? {} : { summary, summaryOffset: summaryPlace - beforeSummary }),
    metadata,
  });
}

function nothingIn({ view, start, end, units, ids, redactions = [] }: CondensationOptions): string {
  const isRange = start !== undefined || end !== undefined;
  if (!isRange && units === undefined && ids === undefined) {
    return redactions.length === 0
      ? 'nothing is selected; pass a range (`start` and `end`), `units`, `ids` or `redactions`'
      : 'no redaction names an event of the view that may be masked so';
  }
  const named = ids === undefined ? [] : [...ids];
  if (!isRange && units === undefined && !named.some((id) => view.indexOf(id) !== undefined)) {
    return named.length === 0 ? '`ids` is empty' : 'none of the ids is in the view';
  }
  const what = units === undefined && ids === undefined ? `the range ${start ?? 0}–${end ?? 0}` : 'what is selected';
  return `${what} of ${view.events.length} events holds no whole unit that may be forgotten`;
}

/** The redactions that fit their event, if the event stays in the view and is not protected. */
function allowedRedactions(
  view: View,
  redactions: readonly Redaction[],
  forgotten: readonly EventId[],
): readonly Redaction[] {
  if (redactions.length === 0) return redactions;
  const others = new Set([...forgotten, ...keptEventIds(view)]);
  return redactions.filter((redaction) => {
    const event = view.events.at(view.indexOf(redaction.eventId) ?? view.events.length);
    return event !== undefined && !others.has(event.id) && isRedactable(event, redaction);
  });
}
