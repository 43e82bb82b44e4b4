import { isLLMConvertible, isToolResult } from '@palimpsest/events';
import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { forgettableEventIds, keptEventIds, redactedCopy, unitsOf } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { EventRange } from '../authoring/rolling/selection.js';
import { recordInForce } from './timeline.js';
import type { EventEntry, SummaryEntry, Timeline, WindowRecord } from './timeline.js';

/** A possible summary: its input and the events that it replaces. */
export interface WindowPlan {
  /** The events to summarise, in order. */
  readonly items: readonly WindowItem[];
  /** The summaries that are rolled up into it, in view order. */
  readonly seeds: readonly SummaryEntry[];
  /** The forgotten range between two cut points. The summary takes its place. */
  readonly range: EventRange;
  /** The events forgotten elsewhere in the view: rolled-up and subsumed summaries, and covered events that had stayed. */
  readonly elsewhere: readonly EventId[];
  /** All forgotten events. */
  readonly forgotten: ReadonlySet<EventId>;
  /** The open calls that held back the rest. */
  readonly openCallIds: readonly EventId[];
}

/** The input of a plan. */
interface PlanOptions {
  readonly view: View;
  readonly timeline: Timeline;
  /** The events to summarise, in order. */
  readonly items: readonly WindowItem[];
  /** True if calls without a result hold nothing back. */
  readonly isAbandoned: (item: WindowItem) => boolean;
  /** A summary that is rolled up. @defaultValue none */
  readonly seed?: SummaryEntry;
  readonly maxSummaries: number;
}

/** The plan; without one, the open calls that prevent it. An empty list needs no report. */
export type PlanOutcome =
  { readonly plan: WindowPlan } | { readonly plan: undefined; readonly openCallIds: readonly EventId[] };

/**
 * Plans a window: the longest settled prefix of the events to summarise up to which the view can be cut, plus everything that the
 * new summary makes superfluous. A summary is subsumed if the new one covers all of its events.
 */
export function planWindow(options: PlanOptions): PlanOutcome {
  const { view, timeline, maxSummaries } = options;
  const kept = keptEventIds(view);
  const cut = cutItems(options);
  if (cut.range === undefined) return { plan: undefined, openCallIds: cut.openCallIds };
  const { range, openCallIds } = cut;
  const alone = standingAlone(view);
  const named = forgettableEventIds(view, range);
  // In a derived view, the remaining events of a unit keep the whole unit.
  const items = cut.items.filter(({ event, isNew }) => !isNew || named.has(event.id));
  if (!items.some(({ isNew }) => isNew)) return { plan: undefined, openCallIds };

  const summaries = timeline.entries.filter((entry) => entry.kind === 'summary');
  const isIn = ({ index }: { readonly index: number }): boolean => index >= range.start && index < range.end;
  const canGo = (entry: SummaryEntry): boolean => !kept.has(entry.event.id) && (isIn(entry) || alone.has(entry.index));
  const covered = new Set(items.map(({ event }) => event.id));
  const subsumed = new Set(summaries.filter((entry) => canGo(entry) && isSubsumed(view, entry, covered, summaries)));
  const seeds = new Set(
    summaries.filter((entry) => (entry === options.seed || isIn(entry)) && canGo(entry) && !subsumed.has(entry)),
  );
  const others = summaries.filter((entry) => !subsumed.has(entry) && !seeds.has(entry));
  if (others.length + 1 > maxSummaries) for (const entry of others) if (canGo(entry)) seeds.add(entry);

  const elsewhere = [
    ...[...subsumed, ...seeds].filter((entry) => !isIn(entry)).map(({ event }) => event.id),
    ...items.flatMap(({ event, index }) =>
      index !== undefined && !isIn({ index }) && !kept.has(event.id) && alone.has(index) ? [event.id] : [],
    ),
  ];
  return {
    plan: {
      items,
      seeds: summaries.filter((entry) => seeds.has(entry)),
      range,
      elsewhere,
      forgotten: new Set([...named, ...elsewhere]),
      openCallIds,
    },
  };
}

/** Plans to roll up all summaries of this condenser into one, if nothing else is possible. */
export function planRollUp(view: View, timeline: Timeline): WindowPlan | undefined {
  const kept = keptEventIds(view);
  const alone = standingAlone(view);
  const seeds = timeline.entries.filter(
    (entry) => entry.kind === 'summary' && !kept.has(entry.event.id) && alone.has(entry.index),
  ) as readonly SummaryEntry[];
  const last = seeds.at(-1);
  if (last === undefined || seeds.length < 2) return undefined;
  const range = { start: last.index, end: last.index + 1 };
  const elsewhere = seeds.slice(0, -1).map(({ event }) => event.id);
  return { items: [], seeds, range, elsewhere, forgotten: new Set([last.event.id, ...elsewhere]), openCallIds: [] };
}

/**
 * Shortens the events to summarise until no call is open and the view can be cut at the end: both steps repeat until both hold.
 */
function cutItems({ view, timeline, items, isAbandoned }: PlanOptions): {
  readonly items: readonly WindowItem[];
  readonly range: EventRange | undefined;
  readonly openCallIds: readonly EventId[];
} {
  const openCallIds = new Set<EventId>();
  const first = items.find(({ isNew }) => isNew)?.index;
  const start = first === undefined ? undefined : view.cutPoints.atOrAfter(first);
  let settled = items;
  for (;;) {
    const behind = eventsBehind(timeline, settled);
    const prefix = settledPrefix(view, [...settled.map(({ event }) => event), ...behind], settled.length, (index) => {
      const item = settled[index];
      return item === undefined || !item.isNew || isAbandoned(item);
    });
    for (const id of prefix.openCallIds) openCallIds.add(id);
    settled = settled.slice(0, prefix.length);
    const last = settled.findLast(({ isNew }) => isNew)?.index;
    const end = last === undefined ? undefined : view.cutPoints.atOrBefore(last + 1);
    if (start === undefined || end === undefined || end <= start) {
      return { items: [], range: undefined, openCallIds: [...openCallIds] };
    }
    const isInside = ({ isNew, index }: WindowItem): boolean =>
      index === undefined || (index < end && (index >= start || !isNew));
    const inside = settled.filter(isInside);
    if (inside.length === settled.length) {
      return { items: settled, range: { start, end }, openCallIds: [...openCallIds] };
    }
    settled = inside;
  }
}

/** Returns the view's events after the last of some events, including results that came late. */
function eventsBehind({ entries }: Timeline, items: readonly WindowItem[]): readonly LLMConvertibleEvent[] {
  const last = items.reduce((most, { index }) => Math.max(most, index ?? -1), -1);
  return entries.flatMap((entry) => (entry.kind === 'event' && entry.index > last ? [entry.event] : []));
}

/** Returns the indices of the events that can be forgotten independently of their neighbours. */
function standingAlone(view: View): ReadonlySet<number> {
  return new Set(unitsOf(view).flatMap(({ start, end }) => (end === start + 1 ? [start] : [])));
}

/**
 * Returns true if the new window, or another summary in the view, covers all events of a summary. Of two equal summaries the later one
 * stays. The events covered through replaced summaries are looked up only if needed, because they can be the whole log.
 */
function isSubsumed(
  view: View,
  { record, index }: SummaryEntry,
  covered: ReadonlySet<EventId>,
  summaries: readonly SummaryEntry[],
): boolean {
  const { coveredEventIds, replaces } = record;
  if (coveredEventIds.length > 0 && coveredEventIds.every((id) => covered.has(id))) {
    if (replaces.length === 0) return true;
    const { events, isWhole } = coveredEvents(view, record);
    if (isWhole && events.every(({ id }) => covered.has(id))) return true;
  }
  return summaries.some(({ record: other, index: place }) => {
    if (other === record || !isPartOf(record, other)) return false;
    return !isPartOf(other, record) || place > index;
  });
}

function isPartOf(record: WindowRecord, other: WindowRecord): boolean {
  const { coveredEventIds, replaces } = record;
  if (!replaces.every((id) => other.replaces.includes(id))) return false;
  if (coveredEventIds.length > other.coveredEventIds.length) return false;
  const ids = new Set(other.coveredEventIds);
  return coveredEventIds.every((id) => ids.has(id));
}

/** An event that a summary can cover. */
export interface WindowItem {
  readonly event: LLMConvertibleEvent;
  readonly invocation: EventId;
  /** Its index in the view; undefined for an event that a summary of this condenser replaced. */
  readonly index: number | undefined;
  readonly isNew: boolean;
}

/**
 * Returns the events of a timeline between two entries, with the raw events in place of this condenser's summaries. Each event occurs
 * once, in log order as far as the summaries record it. System prompts are not summarised. For summaries before `wholeFrom` only
 * the last `invocations` are read.
 */
export function windowItems(
  view: View,
  { entries }: Timeline,
  range: { readonly from: number; readonly to: number; readonly wholeFrom: number; readonly invocations: number },
): readonly WindowItem[] {
  const original = originalsOf(view);
  const items: WindowItem[] = [];
  const seen = new Set<EventId>();
  const add = (item: WindowItem): void => {
    if (seen.has(item.event.id)) return;
    seen.add(item.event.id);
    items.push(item);
  };
  for (let position = range.from; position < range.to; position++) {
    const entry = entries[position] as EventEntry | SummaryEntry;
    if (entry.kind === 'event') {
      if (entry.invocation === undefined || entry.event.type === 'system-prompt') continue;
      add({ event: entry.event, invocation: entry.invocation, index: entry.index, isNew: entry.isNew });
      continue;
    }
    const invocations = position < range.wholeFrom ? range.invocations : Infinity;
    for (const { id, invocation } of coveredEvents(view, entry.record, invocations).events) {
      // An event that a record claims to cover and that is in the view is listed at its position in the view.
      const event = view.indexOf(id) === undefined ? original(id) : undefined;
      if (event !== undefined) add({ event, invocation, index: undefined, isNew: false });
    }
  }
  return items;
}

/** The part of a list of events that may be summarised. */
interface SettledPrefix {
  /** Unit: events. */
  readonly length: number;
  /** The open calls after the prefix that hold back the rest. */
  readonly openCallIds: readonly EventId[];
}

/**
 * Returns the longest prefix in which every call has its result. A call whose result comes after the prefix holds back the events that
 * follow it. A call without a result does so too, unless it counts as abandoned. Results are matched by occurrence: the first
 * result after a call answers it.
 *
 * @param view Supplies the responses of the events.
 * @param events The events to summarise, followed by the rest of the view, in order.
 * @param length The number of events to summarise.
 */
export function settledPrefix(
  view: Pick<View, 'responseOf'>,
  events: readonly LLMConvertibleEvent[],
  length: number,
  isAbandoned: (index: number) => boolean,
): SettledPrefix {
  const answeredAt = resultsOfCalls(view, events);
  let settled = 0;
  let reach = -1;
  for (let index = 0; index < length; index++) {
    if (events[index]?.type === 'action') {
      reach = Math.max(reach, answeredAt.get(index) ?? (isAbandoned(index) ? -1 : Infinity));
    }
    if (reach <= index) settled = index + 1;
  }
  const openCallIds: EventId[] = [];
  for (let index = settled; index < length; index++) {
    const event = events[index];
    if (event?.type !== 'action' || (answeredAt.get(index) ?? (isAbandoned(index) ? -1 : Infinity)) < length) continue;
    openCallIds.push(event.id);
  }
  return { length: settled, openCallIds };
}

/** Returns the index of the result for the index of each answered call. */
function resultsOfCalls(
  view: Pick<View, 'responseOf'>,
  events: readonly LLMConvertibleEvent[],
): ReadonlyMap<number, number> {
  const open = new Map<string, number>();
  const answeredAt = new Map<number, number>();
  const responseAt = (index: number): EventId | undefined => view.responseOf(events[index]?.id ?? '');
  events.forEach((event, index) => {
    if (event.type === 'action') {
      // A second call with the id of an open one is never sent: the result belongs to the first.
      const earlier = open.get(event.toolCall.id);
      const isSame = earlier !== undefined && responseAt(earlier) === responseAt(index);
      if (!isSame) open.set(event.toolCall.id, index);
    } else if (isToolResult(event)) {
      const call = open.get(event.toolCallId);
      if (call === undefined) return;
      answeredAt.set(call, index);
      open.delete(event.toolCallId);
    }
  });
  return answeredAt;
}

/** An event that a record covers, with its invocation. */
interface CoveredEvent {
  readonly id: EventId;
  readonly invocation: EventId;
}

/** Returns the events that a record itself covers, in order. */
function coveredByItself({ coveredEventIds, invocations }: WindowRecord): readonly CoveredEvent[] {
  const covered: CoveredEvent[] = [];
  for (const { start, events } of invocations) {
    const from = covered.length;
    for (const id of coveredEventIds.slice(from, from + events)) covered.push({ id, invocation: start });
  }
  return covered;
}

/**
 * Returns the events covered by a record and by the records that it replaced, in order, for the last `invocations` of them or all.
 * `isWhole` is false if a replaced record is no longer in force, because its covered events are then unknown.
 */
function coveredEvents(
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
function originalsOf(view: View): (id: EventId) => LLMConvertibleEvent | undefined {
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
