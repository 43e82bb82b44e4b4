import type { Condensation, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import type { View } from '@palimpsest/view';

/** The name in the metadata of the condensations of this condenser. */
export const condenserName = 'slidingWindow';

/** Events of one invocation, one after the other in a record. */
export interface InvocationRun {
  /** The id of the event with which the invocation starts. */
  readonly start: EventId;
  /** How many of the record's events belong to it. */
  readonly events: number;
}

/** What a condensation of this condenser says of itself, in its metadata. */
export interface WindowRecord {
  readonly condensation: Condensation;
  /** What made it: `interval`, `tokens` or `request`. */
  readonly reason: string;
  /** The events that its summary was made of, as they were logged, in order. */
  readonly coveredEventIds: readonly EventId[];
  /** To which invocations these belong, in order. */
  readonly invocations: readonly InvocationRun[];
  /** Covered events that stayed in the view, because they were protected. */
  readonly standingEventIds: readonly EventId[];
  /** The condensations whose summaries were rolled up into this one: what they cover, it covers too. */
  readonly replaces: readonly EventId[];
  /** The start of the invocation that was going on. */
  readonly requestId: EventId | undefined;
}

/**
 * Reads the record of a condensation; undefined where it is not one of this condenser. A condensation of anybody else, one that
 * a user or an agent wrote, and one whose lists do not fit together are history like any other.
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

/** The record behind a summary that stands in a view; undefined for summaries of others, and for those planted in the log. */
export function recordOfSummary(view: View, event: LLMConvertibleEvent): WindowRecord | undefined {
  if (event.type !== 'condensation-summary' || event.condensationId === undefined) return undefined;
  // Summaries that a view makes are not in the log.
  if (view.original(event.id) !== undefined) return undefined;
  const condensation = view.original(event.condensationId);
  return condensation?.type === 'condensation' ? windowRecordOf(condensation) : undefined;
}

/** The record of a condensation in force, by its id. */
export function recordInForce(view: View, id: EventId): WindowRecord | undefined {
  const condensation = view.condensations.findLast((one) => one.id === id);
  return condensation === undefined ? undefined : windowRecordOf(condensation);
}

/** The latest record in the order of the log; undefined where there is none in force. */
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
