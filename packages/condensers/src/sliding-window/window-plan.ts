import type { EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { forgettableEventIds, keptEventIds, unitsOf } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import type { Selection } from '../authoring/rolling/selection.js';
import { coveredEvents } from './covered-events.js';
import { settledPrefix } from './settled-prefix.js';
import type { SummaryEntry, Timeline } from './timeline.js';
import type { WindowItem } from './window-items.js';
import type { WindowRecord } from './window-record.js';

/** A possible summary: its input and the events that it replaces. */
export interface WindowPlan {
  /** The events to summarise, in order. */
  readonly items: readonly WindowItem[];
  /** The summaries that are rolled up into it, in view order. */
  readonly seeds: readonly SummaryEntry[];
  /** The forgotten range between two cut points. The summary takes its place. */
  readonly range: Selection;
  /** The events forgotten elsewhere in the view: rolled-up and subsumed summaries, and covered events that had stayed. */
  readonly elsewhere: readonly EventId[];
  /** All forgotten events. */
  readonly forgotten: ReadonlySet<EventId>;
  /** The open calls that held back the rest. */
  readonly openCallIds: readonly EventId[];
}

/** The input of a plan. */
export interface PlanOptions {
  readonly view: View;
  readonly timeline: Timeline;
  /** The events to summarise, in order. */
  readonly items: readonly WindowItem[];
  /** Whether calls without a result hold nothing back. */
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
  readonly range: Selection | undefined;
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

/** The view's events after the last of some events, including results that came late. */
function eventsBehind({ entries }: Timeline, items: readonly WindowItem[]): readonly LLMConvertibleEvent[] {
  const last = items.reduce((most, { index }) => Math.max(most, index ?? -1), -1);
  return entries.flatMap((entry) => (entry.kind === 'event' && entry.index > last ? [entry.event] : []));
}

/** The indices of the events that can be forgotten independently of their neighbours. */
function standingAlone(view: View): ReadonlySet<number> {
  return new Set(unitsOf(view).flatMap(({ start, end }) => (end === start + 1 ? [start] : [])));
}

/**
 * True if the new window, or another summary in the view, covers all events of a summary. Of two equal summaries the later one
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
