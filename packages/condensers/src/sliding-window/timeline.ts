import type { CondensationSummaryEvent, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { isLLMConvertible, isUserMessage } from '@palimpsest/events';
import { keptEventIds } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { RunState } from './run-state.js';
import { recordInForce, recordOfSummary } from './window-record.js';
import type { WindowRecord } from './window-record.js';

/** An event in the view. */
export interface EventEntry {
  readonly kind: 'event';
  readonly index: number;
  readonly event: LLMConvertibleEvent;
  /** The first event of its invocation; undefined for system prompts before the first one. */
  readonly invocation: EventId | undefined;
  /** True if the event may be forgotten and no summary of this condenser covers it. */
  readonly isNew: boolean;
  /** True if a summary of this condenser covers the event, which stayed because it was protected then. */
  readonly standing: boolean;
  readonly isProtected: boolean;
}

/** A summary of this condenser in the view. */
export interface SummaryEntry {
  readonly kind: 'summary';
  readonly index: number;
  readonly event: CondensationSummaryEvent;
  readonly record: WindowRecord;
}

/** A view as a sequence of invocations. */
export interface Timeline {
  readonly entries: readonly (EventEntry | SummaryEntry)[];
  /** The invocations with an event in the view, or with which a summary ends, in order. */
  readonly invocations: readonly { readonly start: EventId; readonly isNew: boolean }[];
  /** Covered events that stayed in the view because they were protected. */
  readonly standing: ReadonlySet<EventId>;
  /** The last invocation: the current one, until the user starts another. */
  readonly live: { readonly start: EventId; readonly index: number } | undefined;
}

/**
 * Reads a view as a sequence of invocations. Each starts with a message of the user that follows a finished run. The first one
 * starts with the first event that is not a system prompt. Linear in the view, independent of the rest of the log.
 */
export function timelineOf(view: View, finishTools: readonly string[]): Timeline {
  const kept = keptEventIds(view);
  const summaries = ownSummaries(view);
  const standing = standingEvents(view, summaries);
  const run = new RunState(view, finishTools);
  const entries: (EventEntry | SummaryEntry)[] = [];
  const invocations = new Map<EventId, { readonly index: number; isNew: boolean }>();
  let current: EventId | undefined;
  const enter = (start: EventId, index: number): void => {
    current = start;
    if (!invocations.has(start)) invocations.set(start, { index, isNew: false });
  };
  for (let index = 0; index < view.events.length; index++) {
    const event = view.events.at(index) as LLMConvertibleEvent;
    const summary = summaries.get(index);
    if (summary !== undefined) {
      entries.push(summary);
      const { coveredEventIds, invocations: runs } = endingRecord(view, summary.record);
      enter(runs.at(-1)?.start ?? current ?? event.id, index);
      run.resumeBehind(lastEvent(view, coveredEventIds));
      continue;
    }
    if (event.type !== 'system-prompt' && (current === undefined || (isUserMessage(event) && run.isFinished))) {
      enter(event.id, index);
    }
    if (event.type === 'condensation-summary') resumeBehindSummary(run, view, event);
    else run.see(event);
    const isProtected = kept.has(event.id);
    const isNew = !isProtected && !standing.has(event.id) && event.type !== 'system-prompt';
    entries.push({
      kind: 'event',
      index,
      event,
      invocation: current,
      isNew,
      standing: standing.has(event.id),
      isProtected,
    });
    const invocation = current === undefined ? undefined : invocations.get(current);
    if (isNew && invocation !== undefined) invocation.isNew = true;
  }
  return {
    entries,
    standing,
    invocations: [...invocations].map(([start, { isNew }]) => ({ start, isNew })),
    live: current === undefined ? undefined : { start: current, index: invocations.get(current)?.index ?? 0 },
  };
}

function ownSummaries(view: View): ReadonlyMap<number, SummaryEntry> {
  const summaries = new Map<number, SummaryEntry>();
  for (let index = 0; index < view.events.length; index++) {
    const event = view.events.at(index);
    if (event?.type !== 'condensation-summary') continue;
    const record = recordOfSummary(view, event);
    if (record !== undefined) summaries.set(index, { kind: 'summary', index, event, record });
  }
  return summaries;
}

/**
 * The covered events that stayed, according to the records. Only user messages can have stayed, so other ids in a record are
 * ignored.
 */
function standingEvents(view: View, summaries: ReadonlyMap<number, SummaryEntry>): ReadonlySet<EventId> {
  const ids = new Set<EventId>();
  for (const { record } of summaries.values()) {
    for (const id of record.standingEventIds) {
      const event = view.original(id);
      if (event !== undefined && isUserMessage(event)) ids.add(id);
    }
  }
  return ids;
}

/** The events behind a summary of another condenser, as listed by its condensation; a planted summary has none. */
function resumeBehindSummary(run: RunState, view: View, { id, condensationId }: CondensationSummaryEvent): void {
  const condensation = condensationId === undefined ? undefined : view.original(condensationId);
  if (condensation?.type !== 'condensation' || view.original(id) !== undefined) return;
  run.resumeBehind(lastEvent(view, condensation.forgottenEventIds));
}

/** The record that states where a record ends: the record itself, unless it only rolled up others. */
function endingRecord(view: View, record: WindowRecord): WindowRecord {
  let ending = record;
  const seen = new Set<EventId>();
  while (ending.coveredEventIds.length === 0 && !seen.has(ending.condensation.id)) {
    seen.add(ending.condensation.id);
    const last = ending.replaces.at(-1);
    const replaced = last === undefined ? undefined : recordInForce(view, last);
    if (replaced === undefined) break;
    ending = replaced;
  }
  return ending;
}

function lastEvent(view: View, ids: readonly EventId[]): LLMConvertibleEvent | undefined {
  const id = ids.at(-1);
  const event = id === undefined ? undefined : view.original(id);
  return event !== undefined && isLLMConvertible(event) ? event : undefined;
}
