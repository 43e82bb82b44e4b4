import type { Condensation, CreateEvent, EventId } from '@palimpsest/events';
import { condensation } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { accountingOf } from '../authoring/rolling/accounting.js';
import type { WindowSummary } from './ask-summarizer.js';
import type { Timeline } from './timeline.js';
import type { WindowItem } from './window-items.js';
import type { WindowPlan } from './window-plan.js';
import { condenserName } from './window-record.js';
import type { InvocationRun } from './window-record.js';

/** Makes the condensation of a planned window, with the record that later windows read. */
export function windowCondensation(options: {
  readonly view: View;
  readonly timeline: Timeline;
  readonly plan: WindowPlan;
  readonly summary: WindowSummary;
  readonly reason: string;
  readonly createEvent: CreateEvent | undefined;
}): Condensation {
  const { view, timeline, plan, summary, reason, createEvent } = options;
  const { items, seeds, range, forgotten, openCallIds } = plan;
  const standing = [
    ...items.flatMap(({ event, index }) => (index === undefined ? [] : [event.id])),
    ...timeline.standing,
  ].filter((id) => !forgotten.has(id));
  const made = condensation({
    view,
    ...range,
    summary: summary.text,
    metadata: {
      ...accountingOf({
        condenser: condenserName,
        reason,
        view,
        savedTokens: summary.savedTokens,
        coveredEventIds: items.map(({ event }) => event.id),
        ...summary.account,
      }),
      invocations: runsOf(items),
      standingEventIds: [...new Set(standing)],
      replaces: seeds.map(({ record }) => record.condensation.id),
      ...(timeline.live === undefined ? {} : { requestId: timeline.live.start }),
      ...(openCallIds.length === 0 ? {} : { openCallIds }),
    },
    ...(createEvent === undefined ? {} : { createEvent }),
  });
  return plan.elsewhere.length === 0 ? made : alsoForgetting(view.stored, made, plan.elsewhere);
}

function runsOf(items: readonly WindowItem[]): readonly InvocationRun[] {
  const runs: { readonly start: EventId; events: number }[] = [];
  for (const { invocation } of items) {
    const last = runs.at(-1);
    if (last?.start === invocation) last.events++;
    else runs.push({ start: invocation, events: 1 });
  }
  return runs;
}

/** The condensation with more to forget, in the order of the stored list; its summary stays in its place. */
function alsoForgetting(stored: View, made: Condensation, more: readonly EventId[]): Condensation {
  const placeOf = (id: EventId): number => stored.indexOf(id) ?? stored.events.length;
  const named = made.forgottenEventIds.map(placeOf).sort((a, b) => a - b);
  const remaining = (place: number): number => place - named.filter((other) => other < place).length;
  const offset = made.summaryOffset ?? 0;
  const before = more.filter((id) => remaining(placeOf(id)) < offset).length;
  const forgottenEventIds = [...made.forgottenEventIds, ...more].sort((a, b) => placeOf(a) - placeOf(b));
  return Object.freeze({
    ...made,
    forgottenEventIds: Object.freeze(forgottenEventIds),
    summaryOffset: offset - before,
  });
}
