import type { Condensation, CondensationAttempt, EventId } from '@palimpsest/events';
import { condensation } from '@palimpsest/view';
import type { CondenseContext, View } from '@palimpsest/view';
import { CondenserModelError } from '../authoring/definition/errors.js';
import type { ModelAccount } from '../authoring/definition/errors.js';
import type { SummaryInput } from '../authoring/model/prompt.js';
import { accountingOf } from '../authoring/rolling/requirement.js';
import { reportAttempt, reportFailedCall } from '../authoring/rolling/rolling-condenser.js';
import { defaultMinProgress } from '../authoring/rolling/selection.js';
import { keptUserWords } from '../authoring/summaries/kept-text.js';
import { askForSummary, leastSummaryTokens } from '../authoring/summaries/summarizer.js';
import type { WindowSettings } from './options.js';
import { condenserName } from './timeline.js';
import type { InvocationRun, Timeline } from './timeline.js';
import type { PlanOutcome, WindowItem, WindowPlan } from './window-plan.js';

/** The trigger and the input of a window. */
interface Trigger {
  readonly view: View;
  readonly timeline: Timeline;
  readonly context: CondenseContext;
  /** `interval`, `tokens` or `request`. */
  readonly reason: string;
  readonly options: WindowSettings;
}

/** A window that is to be summarised. */
interface Attempt extends Trigger {
  readonly plan: WindowPlan;
}

/** Creates the condensation of an optional window; if there is none, reports it and returns undefined. */
export async function carryOut(trigger: Trigger, outcome: PlanOutcome): Promise<Condensation | undefined> {
  if (outcome.plan === undefined) {
    reportBlocked(trigger, outcome.openCallIds);
    return undefined;
  }
  try {
    return await summarise({ ...trigger, plan: outcome.plan });
  } catch (error) {
    if (!CondenserModelError.isInstance(error)) throw error;
    reportFailure(trigger, error);
    return undefined;
  }
}

/** Creates the condensation of a plan. @throws the errors of {@link askSummarizer}. */
export async function summarise(attempt: Attempt): Promise<Condensation> {
  return windowCondensation(attempt, await askSummarizer(attempt));
}

/** Returns true if enough tokens are removed besides the summaries that are rewritten. This avoids a chain of tiny steps. */
export function isWorthIt(view: View, { forgotten, seeds }: WindowPlan): boolean {
  const ofSeeds = new Set(seeds.map(({ event }) => event.id));
  const others = [...forgotten].filter((id) => !ofSeeds.has(id));
  return tokensOf(view, others) >= view.tokens() * defaultMinProgress;
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

/** A summary that can replace its window, and its savings. */
interface WindowSummary {
  readonly text: string;
  /** The forgotten tokens minus the summary's. Unit: tokens, as the view estimates. */
  readonly savedTokens: number;
  readonly account: ModelAccount;
}

/** The summariser's input after a prompt that was too long. Unit: share. */
const smallerInput = 0.5;

/**
 * Requests the summary of a window, with a deadline that also holds for a custom summariser that ignores its signal. If the input
 * was too long, the summariser is called once more with less.
 *
 * @throws {@link CondenserModelError} when there is no summary, or none that makes the view smaller; the signal's reason when the
 *   caller aborts.
 */
async function askSummarizer({ view, plan, context, options }: Attempt): Promise<WindowSummary> {
  const { summarizer, modelCall, maxSummaryTokens } = options;
  const call = { summarizer, timeoutMs: modelCall.timeoutMs, signal: context.signal };
  const forgottenTokens = tokensOf(view, plan.forgotten);
  const read = new Set(plan.items.map(({ event }) => event.id));
  const input: SummaryInput = {
    events: plan.items.map(({ event }) => event),
    previousSummary: plan.seeds.length === 0 ? undefined : plan.seeds.map(({ event }) => event.summary).join('\n\n'),
    // An event that is read again may still be in the view.
    userWords: keptUserWords(view, (id) => read.has(id) || plan.forgotten.has(id)),
    focus: context.focus,
    maxSummaryTokens: Math.max(leastSummaryTokens, Math.min(maxSummaryTokens, Math.floor(forgottenTokens / 2))),
  };
  const summary = await askForSummary(view, input, call).catch((error: unknown) => {
    if (!CondenserModelError.isInstance(error) || error.kind !== 'overflow' || !error.mayRetry) throw error;
    return askForSummary(view, { ...input, inputScale: smallerInput }, call);
  });
  const { text, tokens, account } = summary;
  if (tokens >= forgottenTokens) {
    const reason = `the summary has ${tokens} tokens, and what it would replace ${forgottenTokens}`;
    throw new CondenserModelError('too-large', reason, { account });
  }
  return { text, savedTokens: forgottenTokens - tokens, account };
}

function tokensOf(view: View, ids: Iterable<EventId>): number {
  let tokens = 0;
  for (const id of ids) {
    const index = view.indexOf(id);
    if (index !== undefined) tokens += view.tokens(index, index + 1);
  }
  return tokens;
}

/** Creates the condensation of a planned window, with the record that later windows read. */
function windowCondensation({ view, timeline, plan, reason, options }: Attempt, summary: WindowSummary): Condensation {
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
    createEvent: options.createEvent,
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

/** The number of newest internal events that are read. */
const searched = 1_000;

/**
 * Returns true if an attempt of this condenser in the current invocation had this outcome. The attempts are read from the log, so without
 * a host that appends them the result is always false. A condensation of this condenser, or a revert, resets the result. Costs
 * O(1).
 */
export function wasAttempted(view: View, outcome: string, requestId: EventId): boolean {
  const { internalEvents } = view;
  const end = Math.max(0, internalEvents.length - searched);
  for (let index = internalEvents.length - 1; index >= end; index--) {
    const event = internalEvents.at(index);
    if (event?.type === 'condensation-revert') return false;
    if (event?.type === 'condensation' && event.metadata?.['condenser'] === condenserName) return false;
    if (event?.type !== 'condensation-attempt' || !isOurs(event)) continue;
    if (event.data?.['requestId'] !== requestId) return false;
    if (event.outcome === outcome) return true;
  }
  return false;
}

/** In a pipeline the attempt carries the pipeline's name and this condenser's data. */
function isOurs({ condenser, data }: CondensationAttempt): boolean {
  return (data?.['condenser'] ?? condenser) === condenserName;
}
