import type { Condensation, CondensationSummaryEvent, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { hasPendingCall, isAnsweredInPlace, isPending } from './batches.js';
import type { Batch, Call } from './batches.js';
import type { ListSnapshot } from './list-analysis.js';
import { redactedCopy } from './redacted-copy.js';
import type { ListEdit } from './stored-list.js';

/** What a condensation makes of a stored list. */
export interface Applied {
  /** Undefined when nothing changed. */
  readonly edit: ListEdit | undefined;
  readonly summary: CondensationSummaryEvent | undefined;
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
  list: ListSnapshot,
  log: { readonly open: Batch | undefined; readonly isTaken: (id: EventId) => boolean },
): Applied {
  const openBatch = log.open !== undefined && hasPendingCall(log.open, list.position) ? log.open : undefined;
  const named = condensation.forgottenEventIds;
  const isNamed = namesInOrder(named, list) ? nextOf(named) : setOf(named);
  const held: EventId[] = [];
  const events: LLMConvertibleEvent[] = [];
  const calls: (Call | undefined)[] = [];
  const forgotten: EventId[] = [];
  const brokenBatches: Batch[] = [];
  let firstForgotten: number | undefined;
  for (let index = 0; index < list.length; index++) {
    const event = list.events[index] as LLMConvertibleEvent;
    const call = list.calls[index];
    if (isNamed(event.id)) {
      if (openBatch === undefined || call?.batch !== openBatch) {
        firstForgotten ??= events.length;
        forgotten.push(event.id);
        if (call !== undefined && isPartOfBatch(event, call, list.position)) brokenBatches.push(call.batch);
        continue;
      }
      held.push(event.id);
    }
    events.push(event);
    calls.push(call);
  }
  const notes: string[] = [];
  if (held.length > 0) notes.push(`not forgotten, because their batch is open: ${held.join(', ')}`);
  if (forgotten.length + held.length < named.length) {
    const found = new Set([...forgotten, ...held]);
    const unknown = [...new Set(named)].filter((id) => !found.has(id) && !log.isTaken(id));
    if (unknown.length > 0) notes.push(`not forgotten, because the log has no such event: ${unknown.join(', ')}`);
  }

  const firstRedacted = redact(condensation, { events, calls, position: list.position }, forgotten, notes);
  const summary = summaryOf(condensation, log.isTaken);
  let offset: number | undefined;
  if (summary !== undefined) {
    offset = Math.min(condensation.summaryOffset ?? firstForgotten ?? events.length, events.length);
    events.splice(offset, 0, summary);
    calls.splice(offset, 0, undefined);
  }
  const firstChanged = Math.min(firstForgotten ?? Infinity, firstRedacted ?? Infinity, offset ?? Infinity);
  if (firstChanged === Infinity) return { edit: undefined, summary, notes };
  const after = { events, calls, length: events.length, position: list.position };
  return { edit: { after, firstChanged, brokenBatches }, summary, notes };
}

/** Puts the redacted copies into the list; returns the first index that changed. */
function redact(
  condensation: Condensation,
  list: {
    readonly events: LLMConvertibleEvent[];
    readonly calls: readonly (Call | undefined)[];
    readonly position: number;
  },
  forgotten: readonly EventId[],
  notes: string[],
): number | undefined {
  if (condensation.redactions === undefined || condensation.redactions.length === 0) return undefined;
  const byId = new Map(condensation.redactions.map((redaction) => [redaction.eventId, redaction]));
  let first: number | undefined;
  for (const [index, event] of list.events.entries()) {
    const redaction = byId.get(event.id);
    if (redaction === undefined) continue;
    const call = list.calls[index];
    if (call !== undefined && isPending(call, list.position)) continue;
    const copy = redactedCopy(event, redaction);
    if (copy === undefined) continue;
    byId.delete(event.id);
    list.events[index] = copy;
    first ??= index;
  }
  for (const id of forgotten) byId.delete(id);
  const refused = [...byId.keys()];
  if (refused.length > 0) {
    notes.push(
      `not redacted, because the view has no such result or call, or the call still waits: ${refused.join(', ')}`,
    );
  }
  return first;
}

/** True for what a batch is not sent without: its first action, and each call with a result in place. */
function isPartOfBatch(event: LLMConvertibleEvent, call: Call, position: number): boolean {
  return isAnsweredInPlace(call, position) || event.id === call.batch.calls[0]?.action.id;
}

/** True where the ids stand in the list in this order, as condensers name them: then they are found without a set. */
function namesInOrder(ids: readonly EventId[], list: ListSnapshot): boolean {
  let next = 0;
  for (let index = 0; index < list.length && next < ids.length; index++) {
    if (list.events[index]?.id === ids[next]) next++;
  }
  return next === ids.length;
}

function nextOf(ids: readonly EventId[]): (id: EventId) => boolean {
  let next = 0;
  return (id) => {
    if (id !== ids[next]) return false;
    next++;
    return true;
  };
}

function setOf(ids: readonly EventId[]): (id: EventId) => boolean {
  const set = new Set(ids);
  return (id) => set.has(id);
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
