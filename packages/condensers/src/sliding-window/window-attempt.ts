import type { Condensation } from '@palimpsest/events';
import type { CondenseContext, View } from '@palimpsest/view';
import { CondenserModelError } from '../authoring/definition/errors.js';
import { reportAttempt, reportFailedCall } from '../authoring/rolling/rolling-condenser.js';
import { usualProgress } from '../authoring/rolling/selection.js';
import { askSummarizer } from './ask-summarizer.js';
import { wasAttempted } from './attempts.js';
import type { Timeline } from './timeline.js';
import { windowCondensation } from './window-condensation.js';
import type { WindowSettings } from './window-options.js';
import type { PlanOutcome, WindowPlan } from './window-plan.js';
import { condenserName } from './window-record.js';

/** The trigger and the input of a window. */
export interface Trigger {
  readonly view: View;
  readonly timeline: Timeline;
  readonly context: CondenseContext;
  /** `interval`, `tokens` or `request`. */
  readonly reason: string;
}

/** Creates the condensation of an optional window; if there is none, reports it and returns undefined. */
export async function carryOut(
  trigger: Trigger & { readonly outcome: PlanOutcome; readonly options: WindowSettings },
): Promise<Condensation | undefined> {
  const { outcome, ...rest } = trigger;
  if (outcome.plan === undefined) {
    reportBlocked(trigger, outcome.openCallIds);
    return undefined;
  }
  try {
    return await summarise({ ...rest, plan: outcome.plan });
  } catch (error) {
    if (!CondenserModelError.isInstance(error)) throw error;
    reportFailure(trigger, error);
    return undefined;
  }
}

/** Creates the condensation of a plan. @throws the errors of {@link askSummarizer}. */
export async function summarise(
  options: Trigger & { readonly plan: WindowPlan; readonly options: WindowSettings },
): Promise<Condensation> {
  const { view, timeline, plan, reason, context } = options;
  const { summarizer, modelCall, maxSummaryTokens, createEvent } = options.options;
  const { timeoutMs } = modelCall;
  const { signal, focus } = context;
  const summary = await askSummarizer(view, plan, { summarizer, timeoutMs, maxSummaryTokens, signal, focus });
  return windowCondensation({ view, timeline, plan, summary, reason, createEvent });
}

/** Whether enough tokens are removed besides the summaries that are rewritten. This avoids a chain of tiny steps. */
export function isWorthIt(view: View, { forgotten, seeds }: WindowPlan): boolean {
  const ofSeeds = new Set(seeds.map(({ event }) => event.id));
  let tokens = 0;
  for (const id of forgotten) {
    const index = view.indexOf(id);
    if (index !== undefined && !ofSeeds.has(id)) tokens += view.tokens(index, index + 1);
  }
  return tokens >= view.tokens() * usualProgress;
}

/** Reports once per user request, if the log keeps reports: a blocked window stays blocked for many steps. */
function reportBlocked({ view, timeline, context, reason }: Trigger, openCallIds: readonly string[]): void {
  const requestId = timeline.live?.start;
  if (openCallIds.length === 0 || (requestId !== undefined && wasAttempted(view, 'blocked', requestId))) return;
  reportAttempt(context, {
    outcome: 'blocked',
    reason: `a window is due, and it waits for the results of ${openCallIds.length} calls: ${openCallIds.slice(0, 5).join(', ')}`,
    data: { condenser: condenserName, trigger: reason, requestId, openCallIds },
  });
}

/** Reports a failed summary with its usage and cost to the host, which appends it to the log. */
export function reportFailure({ view, timeline, context, reason }: Trigger, failure: CondenserModelError): void {
  const data = { trigger: reason, requestId: timeline.live?.start };
  reportFailedCall({ condenser: condenserName, view, context, failure, data });
}
