import { createEvent as createEventByDefault } from '@palimpsest/events';
import type { Condensation, CreateEvent, Event, EventId, Redaction } from '@palimpsest/events';
import { NoCondensationAvailableError } from '../errors.js';
import { isRedactable } from '../fold/redacted-copy.js';
import { viewOfLog } from '../log-view.js';
import type { View } from '../view.js';
import { forgettable, forgettableEventIds } from './selection.js';
import type { Selection } from './selection.js';
import { keptEventIds } from './protection.js';

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

/**
 * Adapts a condensation that was made from an earlier view to a later view of the same log. Undefined if the condensation no
 * longer fits. It does not fit when a forgotten event, or an event before it, is gone or changed. Nor does it when a forgotten
 * event is now pinned, or the view can no longer be cut there. If the metadata has `tokensBefore` and `tokensAfter`, they are
 * recomputed for the later view. The cost is linear in the number of events up to the last forgotten event.
 */
export function rebasedCondensation(
  made: Condensation,
  views: { readonly from: View; readonly to: View },
): Condensation | undefined {
  const [from, to] = [viewOfLog(views.from), viewOfLog(views.to)];
  const indices = made.forgottenEventIds.map((id) => from.indexOf(id));
  if (indices.length === 0 || indices.includes(undefined)) return undefined;
  const places = indices as readonly number[];
  const [start, end] = [places.reduce((a, b) => Math.min(a, b)), places.reduce((a, b) => Math.max(a, b)) + 1];
  for (let index = 0; index < end; index++) {
    const [before, now] = [from.events.at(index), to.events.at(index)];
    // The offset of the summary counts from the start, so the events before the summary must be unchanged too.
    if (before === undefined || now === undefined || !isSameEvent(before, now)) return undefined;
  }
  const range = unitsAround(to, start, end);
  const asMade = unitsAround(from, start, end);
  if (range.start !== asMade.start || range.end !== asMade.end) return undefined;
  const mayGo = forgettableEventIds(to, range);
  if (!made.forgottenEventIds.every((id) => mayGo.has(id))) return undefined;
  const { tokensBefore, tokensAfter } = made.metadata ?? {};
  if (typeof tokensBefore !== 'number' || typeof tokensAfter !== 'number') return made;
  const saved = tokensBefore - tokensAfter;
  const sizes = { tokensBefore: to.tokens(), tokensAfter: to.tokens() - saved };
  return Object.freeze({ ...made, metadata: Object.freeze({ ...made.metadata, ...sizes }) });
}

/**
 * Returns true if a view is of the same log as an earlier view, at the same or a later time: its log contains the
 * newest event of the earlier view.
 */
export function isLaterView(view: View, earlier: View): boolean {
  const newest = viewOfLog(earlier).events.at(-1);
  if (newest === undefined) return false;
  const [original, found] = [earlier.original(newest.id), view.original(newest.id)];
  // A summary is in the view but not in the log.
  if (original === undefined || found === undefined) return view.indexOf(newest.id) !== undefined;
  return isSameEvent(original, found);
}

/** True for the same object or an equal one: a host may read its log again at each step. */
function isSameEvent(a: Event, b: Event): boolean {
  return a === b || (a.id === b.id && a.type === b.type && JSON.stringify(a) === JSON.stringify(b));
}

/**
 * The cut points around a range. The ends of the range need not be cut points, because protected events may be next to them.
 */
function unitsAround(
  { cutPoints }: View,
  start: number,
  end: number,
): { readonly start: number; readonly end: number } {
  return { start: cutPoints.atOrBefore(start) ?? -1, end: cutPoints.atOrAfter(end) ?? Infinity };
}
