import type { Condensation, CreateEvent, EventId } from '@palimpsest/events';
import { condensation } from '@palimpsest/view';
import type { View } from '@palimpsest/view';
import { accountingOf } from '../authoring/rolling/requirement.js';
import type { WindowSummary } from './ask-summarizer.js';
import type { Timeline } from './timeline.js';
import type { WindowItem } from './window-items.js';
import type { WindowPlan } from './window-plan.js';
import { condenserName } from './window-record.js';
import type { InvocationRun } from './window-record.js';

/** Creates the condensation of a planned window, with the record that later windows read. */
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
  return condensation({
    view,
    ...range,
    ids: plan.elsewhere,
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
    createEvent,
  });
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
