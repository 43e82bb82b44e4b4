import type { Condensation, CondensationSummaryEvent, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { hasPendingCall, isPending } from './calls.js';
import type { Batch, Call } from './calls.js';
import { redactedCopy } from './redacted-copy.js';
import { indicesOf } from './stored-list.js';
import type { StoredList } from './stored-list.js';

/** A condensation applied to a stored list. */
export interface Condensed {
  /** The list of before, the same object, if nothing changed. */
  readonly list: StoredList;
  readonly summary: CondensationSummaryEvent | undefined;
  /** One note for each part of the condensation that could not be applied. */
  readonly notes: readonly string[];
}

/**
 * Applies a condensation: removes the forgotten events, then redacts, then inserts the summary. Ids that are not in the list are
 * ignored and noted, and so are ids of an open batch with a pending call. The offset is an index in the list after forgetting.
 * An offset past the end appends the summary. A summary without an offset takes the place of the first forgotten event.
 *
 * @param isTaken - true for the ids of events and summaries that the log had before
 */
export function condense(
  condensation: Condensation,
  list: StoredList,
  { open, isTaken }: { readonly open: Batch | undefined; readonly isTaken: (id: EventId) => boolean },
): Condensed {
  const { forgottenEventIds, redactions = [], summaryOffset } = condensation;
  const notes: string[] = [];
  const openBatch = open !== undefined && hasPendingCall(open, list.position) ? open : undefined;
  const named = new Set(forgottenEventIds);
  const events: LLMConvertibleEvent[] = [];
  const calls: (Call | undefined)[] = [];
  const held = new Set<EventId>();
  const forgotten = new Set<EventId>();
  let firstForgotten: number | undefined;
  for (const [index, event] of list.events.entries()) {
    const call = list.calls[index];
    const isNamed = named.has(event.id);
    if (isNamed && (openBatch === undefined || call?.batch !== openBatch)) {
      firstForgotten ??= index;
      forgotten.add(event.id);
      continue;
    }
    if (isNamed) held.add(event.id);
    events.push(event);
    calls.push(call);
  }
  if (held.size > 0) notes.push(`not forgotten, because their batch is open: ${[...held].join(', ')}`);
  const unknown = [...named].filter((id) => !forgotten.has(id) && !held.has(id) && !isTaken(id));
  if (unknown.length > 0) notes.push(`not forgotten, because the log has no such event: ${unknown.join(', ')}`);

  let isRedacted = false;
  const refused: EventId[] = [];
  const indices = redactions.length === 0 ? undefined : indicesOf(events);
  for (const [id, redaction] of new Map(redactions.map((one) => [one.eventId, one]))) {
    const index = indices?.get(id);
    const event = index === undefined ? undefined : events[index];
    const call = index === undefined ? undefined : calls[index];
    const waits = call !== undefined && isPending(call, list.position);
    const copy = event === undefined || waits ? undefined : redactedCopy(event, redaction);
    if (index !== undefined && copy !== undefined) {
      events[index] = copy;
      isRedacted = true;
    } else if (!forgotten.has(id)) {
      refused.push(id);
    }
  }
  if (refused.length > 0) {
    notes.push(
      `not redacted, because the view has no such result or call, or the call still waits: ${refused.join(', ')}`,
    );
  }

  const summary = summaryOf(condensation, isTaken);
  if (summary !== undefined) {
    const offset = Math.min(summaryOffset ?? firstForgotten ?? events.length, events.length);
    events.splice(offset, 0, summary);
    calls.splice(offset, 0, undefined);
  }
  const isSame = forgotten.size === 0 && !isRedacted && summary === undefined;
  return { list: isSame ? list : { events, calls, position: list.position }, summary, notes };
}

function summaryOf(
  condensation: Condensation,
  isTaken: (id: EventId) => boolean,
): CondensationSummaryEvent | undefined {
  if (condensation.summary === undefined) return undefined;
  let id = `${condensation.id}-summary`;
  while (isTaken(id)) id += '-';
  return Object.freeze({
    type: 'condensation-summary',
    id,
    timestamp: condensation.timestamp,
    source: 'environment',
    summary: condensation.summary,
    condensationId: condensation.id,
  });
}
