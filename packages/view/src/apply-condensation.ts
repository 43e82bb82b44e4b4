import type { Condensation, CondensationSummaryEvent, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { hasPendingCall } from './batches.js';
import type { CallLedger } from './batches.js';
import { redactedCopy } from './redacted-copy.js';

/** What a condensation makes of a stored list. */
export interface Applied {
  readonly events: readonly LLMConvertibleEvent[];
  readonly changed: boolean;
  /** What it asked for that could not be done. */
  readonly notes: readonly string[];
}

/**
 * Applies a condensation: forgets, then puts the summary in, then redacts. Ids that are not in the list, and those of an
 * open batch with a call that still waits, change nothing and are noted. The offset counts what really remains; past the end
 * means append, and a summary without one stands where the first forgotten event stood.
 */
export function applyCondensation(
  condensation: Condensation,
  list: {
    readonly events: readonly LLMConvertibleEvent[];
    readonly ledger: CallLedger;
    readonly position: number;
    readonly isKnown: (id: EventId) => boolean;
  },
): Applied {
  const { ledger, position } = list;
  const openBatch = ledger.open !== undefined && hasPendingCall(ledger.open, position) ? ledger.open : undefined;
  const named = new Set(condensation.forgottenEventIds);
  const held: EventId[] = [];
  const events: LLMConvertibleEvent[] = [];
  const forgotten = new Set<EventId>();
  let firstForgotten: number | undefined;
  for (const event of list.events) {
    if (!named.has(event.id)) {
      events.push(event);
    } else if (openBatch !== undefined && ledger.callOf(event.id)?.batch === openBatch) {
      held.push(event.id);
      events.push(event);
    } else {
      firstForgotten ??= events.length;
      forgotten.add(event.id);
    }
  }
  const notes: string[] = [];
  if (held.length > 0) notes.push(`not forgotten, because their batch is open: ${held.join(', ')}`);
  const unknown = [...named].filter((id) => !forgotten.has(id) && !held.includes(id) && !list.isKnown(id));
  if (unknown.length > 0) notes.push(`not forgotten, because the log has no such event: ${unknown.join(', ')}`);

  const redacted = redact(condensation, events, { ledger, position, forgotten, notes });
  const summary = summaryOf(condensation, list.events);
  if (summary !== undefined) {
    const offset = condensation.summaryOffset ?? firstForgotten ?? events.length;
    events.splice(Math.min(offset, events.length), 0, summary);
  }
  return { events, changed: forgotten.size > 0 || redacted || summary !== undefined, notes };
}

function redact(
  condensation: Condensation,
  events: LLMConvertibleEvent[],
  context: {
    readonly ledger: CallLedger;
    readonly position: number;
    readonly forgotten: ReadonlySet<EventId>;
    readonly notes: string[];
  },
): boolean {
  if (condensation.redactions === undefined || condensation.redactions.length === 0) return false;
  const byId = new Map(condensation.redactions.map((redaction) => [redaction.eventId, redaction]));
  let redacted = false;
  for (const [index, event] of events.entries()) {
    const redaction = byId.get(event.id);
    if (redaction === undefined) continue;
    const call = context.ledger.callOf(event.id);
    if (call !== undefined && call.answeredAt >= context.position) continue;
    const copy = redactedCopy(event, redaction);
    if (copy === undefined) continue;
    byId.delete(event.id);
    events[index] = copy;
    redacted = true;
  }
  const refused = [...byId.keys()].filter((id) => !context.forgotten.has(id));
  if (refused.length > 0) {
    context.notes.push(`not redacted, because it is no answered call or result in the view: ${refused.join(', ')}`);
  }
  return redacted;
}

function summaryOf(
  condensation: Condensation,
  events: readonly LLMConvertibleEvent[],
): CondensationSummaryEvent | undefined {
  if (condensation.summary === undefined) return undefined;
  let id = `${condensation.id}-summary`;
  while (events.some((event) => event.id === id)) id += '-';
  return Object.freeze({
    type: 'condensation-summary',
    id,
    timestamp: condensation.timestamp,
    source: 'environment',
    summary: condensation.summary,
    condensationId: condensation.id,
  });
}
