import { isLLMConvertible } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { redactedCopy } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { recordInForce } from './window-record.js';
import type { WindowRecord } from './window-record.js';

/** An event that a record covers, with its invocation. */
export interface CoveredEvent {
  readonly id: EventId;
  readonly invocation: EventId;
}

/** The events that a record itself covers, in order. */
export function coveredByItself({ coveredEventIds, invocations }: WindowRecord): readonly CoveredEvent[] {
  const covered: CoveredEvent[] = [];
  for (const { start, events } of invocations) {
    const from = covered.length;
    for (const id of coveredEventIds.slice(from, from + events)) covered.push({ id, invocation: start });
  }
  return covered;
}

/**
 * The events covered by a record and by the records that it replaced, in order, for the last `invocations` of them or all.
 * `isWhole` is false if a replaced record is no longer in force, because its covered events are then unknown.
 */
export function coveredEvents(
  view: View,
  record: WindowRecord,
  invocations = Infinity,
): { readonly events: readonly CoveredEvent[]; readonly isWhole: boolean } {
  const pieces: (readonly CoveredEvent[])[] = [];
  const starts = new Set<EventId>();
  const seen = new Set<EventId>([record.condensation.id]);
  const waiting: WindowRecord[] = [record];
  let isWhole = true;
  for (let next = waiting.pop(); next !== undefined && starts.size < invocations; next = waiting.pop()) {
    const own = coveredByItself(next);
    pieces.push(own);
    for (const { invocation } of own) starts.add(invocation);
    for (const id of next.replaces) {
      if (seen.has(id)) continue;
      seen.add(id);
      const replaced = recordInForce(view, id);
      if (replaced === undefined) isWhole = false;
      else waiting.push(replaced);
    }
  }
  return { events: pieces.reverse().flat(), isWhole };
}

/**
 * Reads forgotten events as they were logged. Redacted text stays redacted. Undefined for events that the log does not hold, such
 * as summaries.
 */
export function originalsOf(view: View): (id: EventId) => LLMConvertibleEvent | undefined {
  const redactions = new Map(
    view.condensations.flatMap((one) => one.redactions ?? []).map((redaction) => [redaction.eventId, redaction]),
  );
  return (id) => {
    const event = view.original(id);
    if (event === undefined || !isLLMConvertible(event)) return undefined;
    const redaction = redactions.get(id);
    return redaction === undefined ? event : (redactedCopy(event, redaction) ?? event);
  };
}
