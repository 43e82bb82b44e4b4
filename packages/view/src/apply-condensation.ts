import type { Condensation, CondensationSummaryEvent, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { hasPendingCall, isAnsweredInPlace, isPending } from './batches.js';
import type { Batch, Call } from './batches.js';
import type { CutPoints } from './cut-points.js';
import { runsOf } from './forgotten-runs.js';
import type { Run } from './forgotten-runs.js';
import type { ListSnapshot } from './list-analysis.js';
import { redactedCopy } from './redacted-copy.js';
import type { ListEdit } from './stored-list.js';

/** The result of applying a condensation to a stored list. */
export interface Applied {
  /** Undefined when nothing changed. */
  readonly edit: ListEdit | undefined;
  readonly summary: CondensationSummaryEvent | undefined;
  /** One note for each part of the condensation that could not be applied. */
  readonly notes: readonly string[];
}

/** The data that {@link applyCondensation} reads besides the events of the list. */
export interface CondensedLog {
  readonly open: Batch | undefined;
  readonly isTaken: (id: EventId) => boolean;
  /** The position of an event in the log; undefined for summaries. */
  readonly positionOf: (id: EventId) => number | undefined;
  /** The index of an event in the list. */
  readonly indexOf: (id: EventId) => number | undefined;
  readonly cutPoints: CutPoints;
}

/** The list without the forgotten events. */
interface Remainder {
  readonly events: LLMConvertibleEvent[];
  readonly calls: (Call | undefined)[];
  readonly firstForgotten: number | undefined;
  readonly brokenBatches: readonly Batch[];
  readonly forgetsSystemPrompt: boolean;
  readonly forgotten: readonly EventId[];
  readonly notes: string[];
}

/**
 * Applies a condensation: removes the forgotten events, then inserts the summary, then redacts. Ids that are not in the list
 * are ignored and noted, and so are ids of an open batch with a pending call. The offset is an index in the list after
 * forgetting. An offset past the end appends the summary. A summary without an offset takes the place of the first forgotten
 * event.
 */
export function applyCondensation(condensation: Condensation, list: ListSnapshot, log: CondensedLog): Applied {
  const named = condensation.forgottenEventIds;
  const remainder = withoutRuns(named, list, log) ?? withoutNamed(named, list, log);
  const { events, calls, firstForgotten, brokenBatches, forgetsSystemPrompt, forgotten, notes } = remainder;

  const after = { events, calls, position: list.position };
  const indexOf = firstForgotten === undefined ? log.indexOf : indicesOf(events);
  const firstRedacted = redact(condensation, { ...after, indexOf }, forgotten, notes);
  const summary = summaryOf(condensation, log.isTaken);
  let offset: number | undefined;
  if (summary !== undefined) {
    offset = Math.min(condensation.summaryOffset ?? firstForgotten ?? events.length, events.length);
    events.splice(offset, 0, summary);
    calls.splice(offset, 0, undefined);
  }
  const firstChanged = Math.min(firstForgotten ?? Infinity, firstRedacted ?? Infinity, offset ?? Infinity);
  if (firstChanged === Infinity) return { edit: undefined, summary, notes };
  const onlyCopies = firstForgotten === undefined && offset === undefined;
  return {
    edit: { after: { ...after, length: events.length }, onlyCopies, firstChanged, brokenBatches, forgetsSystemPrompt },
    summary,
    notes,
  };
}

/**
 * The fast path for the ids that condensers name: a few runs of events, in order, from cut point to cut point. Such ids break
 * no batch, and the events before the first run are not read. Undefined if the ids have another form.
 */
function withoutRuns(named: readonly EventId[], list: ListSnapshot, log: CondensedLog): Remainder | undefined {
  const runs = runsOf(named, list, log);
  if (runs === undefined) return undefined;
  const events = around(runs, list.events, list.length);
  const calls = around(runs, list.calls, list.length);
  const firstForgotten = runs[0]?.start;
  const forgetsSystemPrompt = runs.some((run) => run.holdsSystemPrompt);
  return { events, calls, firstForgotten, brokenBatches: [], forgetsSystemPrompt, forgotten: named, notes: [] };
}

/** The first `length` items without the runs. Copies the items between two runs in one operation. */
function around<Item>(runs: readonly Run[], items: readonly Item[], length: number): Item[] {
  const head = items.slice(0, runs[0]?.start ?? length);
  return head.concat(...runs.map(({ end }, index) => items.slice(end, runs[index + 1]?.start ?? length)));
}

function withoutNamed(named: readonly EventId[], list: ListSnapshot, log: CondensedLog): Remainder {
  const openBatch = log.open !== undefined && hasPendingCall(log.open, list.position) ? log.open : undefined;
  const names = new Set(named);
  const held: EventId[] = [];
  const events: LLMConvertibleEvent[] = [];
  const calls: (Call | undefined)[] = [];
  const forgotten: EventId[] = [];
  const brokenBatches: Batch[] = [];
  let firstForgotten: number | undefined;
  let forgetsSystemPrompt = false;
  for (let index = 0; index < list.length; index++) {
    const event = list.events[index] as LLMConvertibleEvent;
    const call = list.calls[index];
    if (names.has(event.id)) {
      if (openBatch === undefined || call?.batch !== openBatch) {
        firstForgotten ??= events.length;
        forgotten.push(event.id);
        forgetsSystemPrompt ||= event.type === 'system-prompt';
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
    const unknown = [...names].filter((id) => !found.has(id) && !log.isTaken(id));
    if (unknown.length > 0) notes.push(`not forgotten, because the log has no such event: ${unknown.join(', ')}`);
  }
  return { events, calls, firstForgotten, brokenBatches, forgetsSystemPrompt, forgotten, notes };
}

/** Puts the redacted copies into the list; returns the first index that changed. Linear in the redactions. */
function redact(
  condensation: Condensation,
  list: {
    readonly events: LLMConvertibleEvent[];
    readonly calls: readonly (Call | undefined)[];
    readonly position: number;
    readonly indexOf: (id: EventId) => number | undefined;
  },
  forgotten: readonly EventId[],
  notes: string[],
): number | undefined {
  if (condensation.redactions === undefined || condensation.redactions.length === 0) return undefined;
  const byId = new Map(condensation.redactions.map((redaction) => [redaction.eventId, redaction]));
  let first: number | undefined;
  let refused: EventId[] = [];
  for (const [id, redaction] of byId) {
    const index = list.indexOf(id);
    const event = index === undefined ? undefined : list.events[index];
    const call = index === undefined ? undefined : list.calls[index];
    const waits = call !== undefined && isPending(call, list.position);
    const copy = event === undefined || waits ? undefined : redactedCopy(event, redaction);
    if (index === undefined || copy === undefined) {
      refused.push(id);
      continue;
    }
    list.events[index] = copy;
    first = Math.min(first ?? index, index);
  }
  if (refused.length > 0 && forgotten.length > 0) {
    const gone = new Set(forgotten);
    refused = refused.filter((id) => !gone.has(id));
  }
  if (refused.length > 0) {
    notes.push(
      `not redacted, because the view has no such result or call, or the call still waits: ${refused.join(', ')}`,
    );
  }
  return first;
}

function indicesOf(events: readonly LLMConvertibleEvent[]): (id: EventId) => number | undefined {
  let indices: Map<EventId, number> | undefined;
  return (id) => (indices ??= new Map(events.map((event, index) => [event.id, index]))).get(id);
}

/** True for an event that its batch requires to be sent: the first action, and each call with a result in place. */
function isPartOfBatch(event: LLMConvertibleEvent, call: Call, position: number): boolean {
  return isAnsweredInPlace(call, position) || event.id === call.batch.calls[0]?.action.id;
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
