import type { EventId } from '@palimpsest/events';
import { newestStep } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { selectInvocations } from './select-invocations.js';
import type { SummaryEntry, Timeline } from './timeline.js';
import { windowItems } from './window-items.js';
import type { WindowItem } from './window-items.js';
import { planRollUp, planWindow } from './window-plan.js';
import type { PlanOutcome } from './window-plan.js';

const nothing: PlanOutcome = { plan: undefined, openCallIds: [] };

/** What decides how large a window is. */
export interface WindowLimits {
  /** Unit: new invocations. */
  readonly interval: number;
  /** Unit: invocations. */
  readonly overlap: number;
  readonly maxSummaries: number;
}

/**
 * The window of completed invocations, once `interval` of them are new. A call without a result holds back what follows it until
 * `patience` more invocations are completed; then it is abandoned.
 */
export function windowOfInvocations(
  view: View,
  timeline: Timeline,
  { interval, overlap, maxSummaries, patience }: WindowLimits & { readonly patience: number },
): PlanOutcome {
  const completed = timeline.invocations.slice(0, -1);
  if (completed.filter(({ isNew }) => isNew).length < interval) return nothing;
  const isCompleted = new Set(completed.map(({ start }) => start));
  const to = positionOf(timeline, timeline.live?.index ?? 0);
  const from = timeline.entries.findIndex(
    (entry) => entry.kind === 'event' && entry.isNew && isCompleted.has(entry.invocation ?? ''),
  );
  const items = withStragglers(
    timeline,
    windowItems(view, timeline, { from: 0, to, wholeFrom: from, invocations: overlap + 2 }),
  );
  const isNew = new Map(completed.map(({ start, isNew: fresh }) => [start, fresh]));
  const invocations = [...new Set(items.rest.map(({ invocation }) => invocation))];
  const range = selectInvocations(
    invocations.map((start) => ({ isNew: isNew.get(start) ?? false })),
    { interval, overlap },
  );
  if (range === undefined) return nothing;
  const selected = new Set(invocations.slice(range.first, range.last + 1));
  const positions = items.rest.flatMap(({ invocation }, position) => (selected.has(invocation) ? [position] : []));
  const window = items.rest.slice(positions[0] ?? 0, (positions.at(-1) ?? -1) + 1);
  const place = new Map(completed.map(({ start }, position) => [start, position]));
  return planWindow({
    view,
    timeline,
    items: [...items.stragglers, ...window],
    isAbandoned: ({ invocation }) => completed.length - 1 - (place.get(invocation) ?? 0) >= patience,
    maxSummaries,
  });
}

/**
 * Everything behind the latest summary of ours but the `retention` newest events, rolled up with that summary. Neither the newest
 * step nor, while it has not begun, what the user asked for last is touched. What waits for a result can not be cut off; a call
 * that the history has passed by without one holds nothing back.
 */
export function windowForTokens(
  view: View,
  timeline: Timeline,
  { retention, maxSummaries }: { readonly retention: number; readonly maxSummaries: number },
): PlanOutcome {
  const seed = latestSummary(view, timeline);
  const from = seed === undefined ? 0 : timeline.entries.indexOf(seed) + 1;
  const all = windowItems(view, timeline, { from, to: timeline.entries.length, wholeFrom: from, invocations: 0 });
  const { stragglers, rest } = withStragglers(timeline, all);
  const split = rest.length - retention;
  if (split <= 0) return nothing;
  const boundary = rest.slice(split).find(({ index }) => index !== undefined)?.index ?? view.events.length;
  const end = view.cutPoints.atOrBefore(Math.min(boundary, newestWork(view, timeline)));
  if (end === undefined) return nothing;
  const behind = rest.findIndex(({ index }) => index !== undefined && index >= end);
  return planWindow({
    view,
    timeline,
    items: [...stragglers, ...rest.slice(0, behind === -1 ? rest.length : behind)],
    isAbandoned: () => true,
    seed,
    maxSummaries,
  });
}

/** What a request asks for: as much as may be forgotten, the completed invocations first, and the summaries at last. */
export function* windowsOnRequest(
  view: View,
  timeline: Timeline,
  { overlap, maxSummaries, retention }: Omit<WindowLimits, 'interval'> & { readonly retention: number },
): Generator<PlanOutcome> {
  yield windowOfInvocations(view, timeline, { interval: 1, overlap, maxSummaries, patience: 0 });
  if (retention > 0) yield windowForTokens(view, timeline, { retention, maxSummaries });
  yield windowForTokens(view, timeline, { retention: 0, maxSummaries });
  const plan = planRollUp(view, timeline);
  if (plan !== undefined) yield { plan };
}

/** Covered events that were left standing and are protected no more: whichever window comes next takes them along. */
function withStragglers(
  { entries }: Timeline,
  items: readonly WindowItem[],
): { readonly stragglers: readonly WindowItem[]; readonly rest: readonly WindowItem[] } {
  const stragglers: WindowItem[] = [];
  const ids = new Set<EventId>();
  for (const entry of entries) {
    if (entry.kind !== 'event' || !entry.standing || entry.isProtected || entry.invocation === undefined) continue;
    ids.add(entry.event.id);
    stragglers.push({ event: entry.event, invocation: entry.invocation, index: entry.index, isNew: false });
  }
  return { stragglers, rest: ids.size === 0 ? items : items.filter(({ event }) => !ids.has(event.id)) };
}

/** The one of our summaries that stands in the view whose condensation came last in the log. */
function latestSummary(view: View, { entries }: Timeline): SummaryEntry | undefined {
  const summaries = new Map(
    entries.flatMap((entry) => (entry.kind === 'summary' ? [[entry.record.condensation.id, entry] as const] : [])),
  );
  const latest = view.condensations.findLast(({ id }) => summaries.has(id));
  return latest === undefined ? undefined : summaries.get(latest.id);
}

/** Where that begins which no window takes: the newest step, or the live invocation if it has not come to a step. */
function newestWork(view: View, { live }: Timeline): number {
  const newest = newestStep(view);
  return live !== undefined && newest.start < live.index ? live.index : newest.cutPoint;
}

function positionOf({ entries }: Timeline, index: number): number {
  const position = entries.findIndex((entry) => entry.index >= index);
  return position === -1 ? entries.length : position;
}
