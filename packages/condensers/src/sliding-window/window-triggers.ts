import type { EventId } from '@palimpsest/events';
import { newestStep } from '@palimpsest/view';
import type { CondenseContext, View } from '@palimpsest/view';
import { calibrationOf, promptCounts } from '../authoring/rolling/calibration.js';
import type { SummaryEntry, Timeline } from './timeline.js';
import { planRollUp, planWindow, windowItems } from './window-plan.js';
import type { PlanOutcome, WindowItem } from './window-plan.js';

const nothing: PlanOutcome = { plan: undefined, openCallIds: [] };

/** The numbers that determine the size of a window. */
interface WindowLimits {
  /** Unit: new invocations. */
  readonly interval: number;
  /** Unit: invocations. */
  readonly overlap: number;
  readonly maxSummaries: number;
}

/**
 * Returns the window of completed invocations, once `interval` of them are new. A call without a result holds back the events that follow
 * it until `patience` more invocations are completed; then it counts as abandoned.
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
 * Returns the events after the latest summary of this condenser except the `retention` newest, rolled up with that summary. The newest
 * step is not included, nor is the user's latest request before its first step. A call whose result is still to come cannot be
 * cut off; a call that the history has passed without a result holds nothing back.
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

/** Returns the window for a request: as many events as may be forgotten, completed invocations first, summaries last. */
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

/** Covered events that stayed and are no longer protected: the next window of any trigger includes them. */
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

/** This condenser's summary in the view whose condensation is the last in the log. */
function latestSummary(view: View, { entries }: Timeline): SummaryEntry | undefined {
  const summaries = new Map(
    entries.flatMap((entry) => (entry.kind === 'summary' ? [[entry.record.condensation.id, entry] as const] : [])),
  );
  const latest = view.condensations.findLast(({ id }) => summaries.has(id));
  return latest === undefined ? undefined : summaries.get(latest.id);
}

/** Returns the start of the part that no window includes: the newest step, or the live invocation if it has no step yet. */
function newestWork(view: View, { live }: Timeline): number {
  const newest = newestStep(view);
  return live !== undefined && newest.start < live.index ? live.index : newest.cutPoint;
}

function positionOf({ entries }: Timeline, index: number): number {
  const position = entries.findIndex((entry) => entry.index >= index);
  return position === -1 ? entries.length : position;
}

/** A range of invocations, both ends included. Unit: indices in the list of invocations. */
interface InvocationRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Selects the invocations of the next window. Until `interval` completed ones are new, nothing is selected; then the range from
 * the first new one, minus `overlap`, to the last new one. After a failed window, more than `interval` may be new.
 *
 * @param completed The completed invocations, oldest first. An invocation is new if it holds an event that no summary covers.
 * @see `_run_compaction_for_sliding_window` of Google's Agent Development Kit for Python for the arithmetic
 */
export function selectInvocations(
  completed: readonly { readonly isNew: boolean }[],
  { interval, overlap }: { readonly interval: number; readonly overlap: number },
): InvocationRange | undefined {
  const fresh = completed.flatMap(({ isNew }, index) => (isNew ? [index] : []));
  const [first] = fresh;
  const last = fresh.at(-1);
  if (first === undefined || last === undefined || fresh.length < interval) return undefined;
  return { first: Math.max(0, first - overlap), last };
}

/**
 * Returns the size of the next model call, including system prompt and tools. Unit: tokens. If no condensation followed the agent's last
 * call that sent a part of this view, it is the provider's count for that call plus an estimate of the later events; otherwise an
 * estimate of everything. Costs O(1).
 */
export function promptSize(view: View, { fixedTokens = 0 }: Pick<CondenseContext, 'fixedTokens'>): number {
  const calibration = calibrationOf(view, fixedTokens);
  // With an estimate of more than there is, the count is of a prompt that this view has not sent.
  const last = promptCounts(view, fixedTokens).believed.findLast(({ estimated }) => estimated <= view.tokens());
  if (last === undefined || isEditedAfter(view, last.index)) {
    return fixedTokens + Math.round(view.tokens() * calibration);
  }
  return Math.max(0, last.sent + Math.round((view.tokens() - last.estimated) * calibration));
}

/** Earlier counts measure a prompt that is no longer sent. */
function isEditedAfter({ internalEvents }: View, index: number): boolean {
  for (let after = index + 1; after < internalEvents.length; after++) {
    const type = internalEvents.at(after)?.type;
    if (type === 'condensation' || type === 'condensation-revert') return true;
  }
  return false;
}
