import type { Condensation, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** The key in the metadata of this condenser's condensations. */
export const condenserName = 'slidingWindow';

/** Consecutive events of one invocation in a record. */
export interface InvocationRun {
  /** The id of the first event of the invocation. */
  readonly start: EventId;
  /** The number of the record's events in the invocation. */
  readonly events: number;
}

/** The record in the metadata of this condenser's condensations. */
export interface WindowRecord {
  readonly condensation: Condensation;
  /** The trigger: `interval`, `tokens` or `request`. */
  readonly reason: string;
  /** The events that the summary covers, as they were logged, in order. */
  readonly coveredEventIds: readonly EventId[];
  /** The invocations of these events, in order. */
  readonly invocations: readonly InvocationRun[];
  /** Covered events that stayed in the view, because they were protected. */
  readonly standingEventIds: readonly EventId[];
  /** The condensations whose summaries were rolled up into this one; their covered events count as covered by it. */
  readonly replaces: readonly EventId[];
  /** The start of the current invocation. */
  readonly requestId: EventId | undefined;
}

/**
 * Reads the record of a condensation; undefined if another condenser made it. A condensation of another condenser, one written by
 * a user or an agent, and one with inconsistent lists count as ordinary history.
 */
export function windowRecordOf(condensation: Condensation): WindowRecord | undefined {
  const { metadata = {}, source, summary } = condensation;
  if (source !== 'environment' || summary === undefined || metadata['condenser'] !== condenserName) return undefined;
  const { reason, coveredEventIds, invocations, standingEventIds = [], replaces = [], requestId } = metadata;
  if (typeof reason !== 'string' || !isListOfIds(coveredEventIds) || !isListOfRuns(invocations)) return undefined;
  if (!isListOfIds(standingEventIds) || !isListOfIds(replaces)) return undefined;
  if (requestId !== undefined && typeof requestId !== 'string') return undefined;
  if (coveredEventIds.length === 0 && replaces.length === 0) return undefined;
  if (invocations.reduce((sum, { events }) => sum + events, 0) !== coveredEventIds.length) return undefined;
  return { condensation, reason, coveredEventIds, invocations, standingEventIds, replaces, requestId };
}

/** The record behind a summary in a view; undefined for summaries of other condensers and for planted ones. */
export function recordOfSummary(view: View, event: LLMConvertibleEvent): WindowRecord | undefined {
  if (event.type !== 'condensation-summary' || event.condensationId === undefined) return undefined;
  // Summaries that a view creates are not in the log.
  if (view.original(event.id) !== undefined) return undefined;
  const condensation = view.original(event.condensationId);
  return condensation?.type === 'condensation' ? windowRecordOf(condensation) : undefined;
}

/** The record of a condensation in force, by its id. */
export function recordInForce(view: View, id: EventId): WindowRecord | undefined {
  const condensation = view.condensations.findLast((one) => one.id === id);
  return condensation === undefined ? undefined : windowRecordOf(condensation);
}

/** The latest record in log order; undefined if none is in force. */
export function latestRecord(view: View): WindowRecord | undefined {
  for (let index = view.condensations.length - 1; index >= 0; index--) {
    const record = windowRecordOf(view.condensations[index] as Condensation);
    if (record !== undefined) return record;
  }
  return undefined;
}

function isListOfIds(value: unknown): value is readonly EventId[] {
  return Array.isArray(value) && value.every((id) => typeof id === 'string');
}

function isListOfRuns(value: unknown): value is readonly InvocationRun[] {
  return Array.isArray(value) && value.every(isRun);
}

function isRun(value: unknown): value is InvocationRun {
  if (typeof value !== 'object' || value === null) return false;
  const { start, events } = value as Partial<InvocationRun>;
  return typeof start === 'string' && typeof events === 'number' && Number.isSafeInteger(events) && events > 0;
}
