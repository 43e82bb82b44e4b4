import { createEvent as createEventByDefault } from '@palimpsest/events';
import type { Condensation, CreateEvent, EventId, Redaction } from '@palimpsest/events';
import { NoCondensationAvailableError } from './errors.js';
import { protectedEventIds } from './protected-events.js';
import type { View } from './view.js';

/** Options of {@link condensation}. */
export interface CondensationOptions {
  /** The view that the condenser was given, or one derived from it. */
  readonly view: View;
  /** The first index to forget; moved forward to the next cut point. @defaultValue forget nothing */
  readonly start?: number;
  /** The index behind the last one to forget; moved back to the cut point before it. @defaultValue forget nothing */
  readonly end?: number;
  /** Stands in the place of what is forgotten. @defaultValue no summary */
  readonly summary?: string;
  /** What to mask in place. Ids that are forgotten, or are not in the view, are left out. @defaultValue nothing */
  readonly redactions?: readonly Redaction[];
  /** For the log: condenser, reason, tokens before and after, whatever replay or people need. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent;
}

/**
 * Makes a condensation that is safe to append: it forgets whole units between cut points, keeps protected events, puts the
 * summary after the last protected event inside the range (else at its start), and speaks of the stored list even when the
 * view is a derived one.
 *
 * @throws {@link NoCondensationAvailableError} when nothing is left to forget or to mask.
 */
export function condensation(options: CondensationOptions): Condensation {
  const { view, createEvent = createEventByDefault } = options;
  const start = view.cutPoints.atOrAfter(Math.max(0, options.start ?? 0));
  const end = view.cutPoints.atOrBefore(Math.min(options.end ?? 0, view.events.length));
  const kept = new Set([...protectedEventIds(view), ...protectedEventIds(view.stored)]);
  const forgotten: EventId[] = [];
  let placement = start ?? 0;
  if (start !== undefined && end !== undefined) {
    for (let index = start; index < end; index++) {
      const event = view.events.at(index);
      if (event === undefined) continue;
      if (kept.has(event.id)) placement = index + 1;
      else forgotten.push(event.id);
    }
  }
  const forgottenIds = new Set(forgotten);
  const redactions = (options.redactions ?? []).filter(
    ({ eventId }) => !forgottenIds.has(eventId) && view.indexOf(eventId) !== undefined,
  );
  if (forgotten.length === 0 && redactions.length === 0) {
    throw new NoCondensationAvailableError(
      `the range ${options.start ?? 0}–${options.end ?? 0} of ${view.events.length} events holds no whole unit that may be forgotten`,
    );
  }
  return createEvent('condensation', {
    forgottenEventIds: forgotten,
    ...(redactions.length === 0 ? {} : { redactions }),
    ...(options.summary === undefined || forgotten.length === 0
      ? {}
      : { summary: options.summary, summaryOffset: storedOffset(view, placement, forgottenIds) }),
    ...(options.metadata === undefined ? {} : { metadata: options.metadata }),
  });
}

/** The index in the stored list, after forgetting, that the place before `index` of the view has. */
function storedOffset(view: View, index: number, forgotten: ReadonlySet<EventId>): number {
  const { stored } = view;
  const previous = index === 0 ? undefined : view.events.at(index - 1);
  const at = previous === undefined ? undefined : stored.indexOf(previous.id);
  const place = previous === undefined ? 0 : (at ?? stored.events.length - 1) + 1;
  let before = 0;
  for (const id of forgotten) {
    const position = stored.indexOf(id);
    if (position !== undefined && position < place) before++;
  }
  return place - before;
}
