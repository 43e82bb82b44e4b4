import { createEvent as createEventByDefault, isToolResult } from '@palimpsest/events';
import type { Condensation, CreateEvent, EventId, LLMConvertibleEvent, Redaction } from '@palimpsest/events';
import { NoCondensationAvailableError } from './errors.js';
import { protectedEventIds } from './protected-events.js';
import { isRedactable } from './redacted-copy.js';
import type { View } from './view.js';

/** Options of {@link condensation}. */
export interface CondensationOptions {
  /** The view that the condenser was given, or one derived from it. */
  readonly view: View;
  /** The first index to forget; moved forward to the next cut point. @defaultValue 0 */
  readonly start?: number;
  /** The index behind the last one to forget; moved back to the cut point before it. @defaultValue 0: nothing is forgotten */
  readonly end?: number;
  /** Stands in the place of what is forgotten. @defaultValue no summary */
  readonly summary?: string;
  /** What to mask in place. What is forgotten, pinned or not in the view, or cannot be masked so, is left out. @defaultValue nothing */
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
  const kept = protectedEventIds(view);
  const named: EventId[] = [];
  let placement = start ?? 0;
  let namedBefore = 0;
  if (start !== undefined && end !== undefined) {
    for (let index = start; index < end; index++) {
      const event = view.events.at(index);
      if (event === undefined) continue;
      if (kept.has(event.id)) {
        placement = index + 1;
        namedBefore = named.length;
      } else {
        named.push(event.id);
      }
    }
  }
  const isStored = view === view.stored;
  const forgotten = isStored ? named : [...wholeUnits(view.stored, new Set(named))];
  const redactions = allowedRedactions(view, options.redactions ?? [], new Set([...forgotten, ...kept]));
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
      : {
          summary: options.summary,
          summaryOffset: isStored ? placement - namedBefore : storedOffset(view, placement, forgotten),
        }),
    ...(options.metadata === undefined ? {} : { metadata: options.metadata }),
  });
}

/**
 * Some ids without those of units of the stored list that they do not name whole: what a derived view left out of a batch
 * still stands in the stored list, and the batch with it.
 */
function wholeUnits(stored: View, ids: ReadonlySet<EventId>): ReadonlySet<EventId> {
  const whole = new Set<EventId>();
  const { length } = stored.events;
  for (let start = stored.cutPoints.atOrAfter(0) ?? length; start < length;) {
    const end = stored.cutPoints.atOrAfter(start + 1);
    if (end === undefined) break;
    const unit = stored.events.slice(start, end);
    const stays = unit.some((event) => isPartOfCall(event) && !stored.leftOut.has(event.id) && !ids.has(event.id));
    if (!stays) for (const { id } of unit) if (ids.has(id)) whole.add(id);
    start = end;
  }
  return whole;
}

function isPartOfCall(event: LLMConvertibleEvent): boolean {
  return event.type === 'action' || isToolResult(event);
}

/** The redactions of what stays in the view, is not protected, and can be masked so. */
function allowedRedactions(
  view: View,
  redactions: readonly Redaction[],
  others: ReadonlySet<EventId>,
): readonly Redaction[] {
  if (redactions.length === 0) return redactions;
  return redactions.filter((redaction) => {
    const event = view.events.at(view.indexOf(redaction.eventId) ?? view.events.length);
    return event !== undefined && !others.has(event.id) && isRedactable(event, redaction);
  });
}

/** The index in the stored list, after forgetting, that the place before `index` of a derived view has. */
function storedOffset(view: View, index: number, forgotten: readonly EventId[]): number {
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
