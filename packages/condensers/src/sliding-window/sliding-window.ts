import { isUserMessage } from '@palimpsest/events';
import type { Condensation, CreateEvent } from '@palimpsest/events';
import { NoCondensationAvailableError } from '@palimpsest/view';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';
import { assertCreateEvent, defineCondenser } from '../authoring/definition/define-condenser.js';
import { CondenserModelError } from '../authoring/definition/errors.js';
import { assertOptionsObject, checkedOptions } from '../authoring/definition/options.js';
import { backgroundCondenser } from '../authoring/model/background.js';
import { promptOf } from '../authoring/model/prompt.js';
import { isBackingOff } from '../authoring/rolling/rolling-condenser.js';
import { llmSummarizer, notifyingSummarizer } from '../authoring/summaries/summarizer.js';
import type { Summarizer } from '../authoring/summaries/summarizer.js';
import { ownSummarizer, promptWithoutModel, windowOptions } from './options.js';
import type { CheckedOptions, SlidingWindowOptions, WindowSettings } from './options.js';
import { condenserName, latestRecord, timelineOf } from './timeline.js';
import { carryOut, isWorthIt, reportFailure, summarise, wasAttempted } from './window-summary.js';
import { windowSummaryTemplate } from './window-summary.prompt.js';
import { promptSize, windowForTokens, windowOfInvocations, windowsOnRequest } from './window-triggers.js';

export type { SlidingWindowOptions } from './options.js';

/**
 * Summarises a conversation in windows of whole invocations. An invocation starts with a message of the user that follows a
 * finished run, and is completed when the next one starts. The request in progress is therefore never inside a window. With an
 * interval of 3 and an overlap of 1 the windows are 1–3, 3–6, 6–9: overlapping invocations are read again as they were logged. A
 * summary is removed if a later window covers all of its events; the others stay side by side, up to `maxSummaries`.
 *
 * The token trigger summarises everything except the newest events, together with the latest summary. No further window is made
 * until the user's next request. The agent's newest step always stays. The condenser answers requests with a window of completed
 * invocations, or else with any events that may be forgotten.
 *
 * A call without a result holds back the events that follow it until as many further invocations as the interval are completed;
 * then it counts as abandoned. For the token trigger and requests, only a call whose result came later holds events back. If
 * nothing is left to summarise, the condenser reports it (`outcome: 'blocked'`).
 *
 * If a summariser fails, returns no text, is too slow, or writes more than it replaces, the history is unchanged and the failure
 * is reported (`outcome: 'failed'`); the next invocation tries again with a larger window. The metadata of each condensation
 * records the events that were read (`coveredEventIds`, and those covered by what it `replaces`), so windows depend on event ids,
 * never on times. Only condensations of this condenser count; those of other condensers are history.
 *
 * A summary is written in the background if the host can take it later (`onPending`): as in ADK, no step waits for it.
 *
 * Bound: `maxSummaries` summaries of its own. In addition, at most `compactionInterval` completed invocations without a summary,
 * as long as summaries succeed and no call is open, and the live one, which only `tokenThreshold` limits.
 *
 * @throws {@link InvalidCondenserConfigError} when half of a pair is missing, when there is no summariser or more than one, or
 *   when a number is out of range; `condense` throws {@link NoCondensationAvailableError} when a condensation was requested and
 *   none is possible.
 * @see EventsCompactionConfig of Google's Agent Development Kit for Python, 1.16 and later
 */
export function slidingWindowCondenser(options: SlidingWindowOptions): Condenser {
  assertOptionsObject(condenserName, options);
  const { llm, summarizer, compactor, createEvent, ...data } = options;
  const own = ownSummarizer({ llm, summarizer, compactor });
  if (own === undefined) return slidingWindow.create(data, { llm, createEvent });
  const checked = checkedOptions(slidingWindow.options, data, { subject: condenserName });
  assertCreateEvent(condenserName, createEvent);
  if (checked.modelCall.prompt !== undefined)
    throw promptWithoutModel(summarizer === undefined ? 'compactor' : 'summarizer');
  return windows(checked, own, createEvent);
}

/** The definition of {@link slidingWindowCondenser}. */
export const slidingWindow = /* @__PURE__ */ defineCondenser({
  name: condenserName,
  summary: 'replaces windows of whole requests by summaries that a model writes',
  asksModel: true,
  options: /* @__PURE__ */ windowOptions(),
  create: (options, { llm, createEvent }) => {
    const { prompt = windowSummaryTemplate, ...call } = options.modelCall;
    const write = promptOf(condenserName, prompt, 'modelCall.prompt');
    return windows(options, llmSummarizer({ llm, ...call, prompt: write }), createEvent);
  },
});

function windows(options: CheckedOptions, summarizer: Summarizer, createEvent: CreateEvent | undefined): Condenser {
  const settings: WindowSettings = { ...options, summarizer, createEvent };
  const waiting = windowCondenser(settings);
  if (options.background === false) return waiting;
  const inBackground = backgroundCondenser({
    name: condenserName,
    maxTokens: undefined,
    create: (asks) => windowCondenser({ ...settings, summarizer: notifyingSummarizer(summarizer, asks) }),
  });
  if (options.background === true) return inBackground;
  return {
    ...waiting,
    // A host that is not told of what goes on may end before the summary is there.
    condense: (view, context = {}) =>
      (context.onPending === undefined ? waiting : inBackground).condense(view, context),
  };
}

function windowCondenser(checked: WindowSettings): Condenser {
  return {
    name: condenserName,
    handlesCondensationRequests: true,
    condense: async (view: View, context: CondenseContext = {}) => {
      context.signal?.throwIfAborted();
      if (context.preview === true) return view;
      if (view.unhandledCondensationRequest) return answerRequest(view, context, checked);
      return (
        (await condenseForTokens(view, context, checked)) ?? (await condenseWindow(view, context, checked)) ?? view
      );
    },
  };
}

async function condenseForTokens(
  view: View,
  context: CondenseContext,
  options: WindowSettings,
): Promise<Condensation | undefined> {
  const { tokenThreshold, eventRetentionSize: retention = 0, maxSummaries, finishTools } = options;
  if (tokenThreshold === undefined || promptSize(view, context) < tokenThreshold || isBackingOff(view, condenserName)) {
    return undefined;
  }
  const timeline = timelineOf(view, finishTools);
  const outcome = windowForTokens(view, timeline, { retention, maxSummaries });
  if (outcome.plan !== undefined && !isWorthIt(view, outcome.plan)) return undefined;
  return carryOut({ view, timeline, reason: 'tokens', context, options }, outcome);
}

async function condenseWindow(
  view: View,
  context: CondenseContext,
  options: WindowSettings,
): Promise<Condensation | undefined> {
  const { compactionInterval: interval, overlapSize: overlap = 0, maxSummaries, finishTools } = options;
  if (interval === undefined || mostInvocations(view) <= interval) return undefined;
  const timeline = timelineOf(view, finishTools);
  const { live } = timeline;
  const completed = timeline.invocations.slice(0, -1);
  if (live === undefined || completed.filter(({ isNew }) => isNew).length < interval) return undefined;
  const latest = latestRecord(view);
  if (latest?.reason === 'tokens' && latest.requestId === live.start) return undefined;
  if (wasAttempted(view, 'failed', live.start)) return undefined;
  const limits = { interval, overlap, maxSummaries, patience: interval };
  const outcome = windowOfInvocations(view, timeline, limits);
  return carryOut({ view, timeline, reason: 'interval', context, options }, outcome);
}

/**
 * Returns an upper bound of the number of invocations with an event in the view, the live one included. Cheap, because it is called at
 * each step.
 */
function mostInvocations({ events }: View): number {
  return 1 + events.filter((event) => isUserMessage(event) || event.type === 'condensation-summary').length;
}

async function answerRequest(view: View, context: CondenseContext, options: WindowSettings): Promise<Condensation> {
  const { overlapSize: overlap = 0, eventRetentionSize: retention = 0, maxSummaries, finishTools } = options;
  const timeline = timelineOf(view, finishTools);
  const limits = { overlap, retention, maxSummaries };
  let failure: CondenserModelError | undefined;
  for (const { plan } of windowsOnRequest(view, timeline, limits)) {
    if (plan === undefined) continue;
    try {
      return await summarise({ view, timeline, plan, reason: 'request', context, options });
    } catch (error) {
      if (!CondenserModelError.isInstance(error)) throw error;
      reportFailure({ view, timeline, context, reason: 'request', options }, error);
      failure = error;
      // A larger window may justify its summary; a model that fails will fail again.
      if (error.kind !== 'too-large') break;
    }
  }
  if (failure !== undefined) {
    throw new NoCondensationAvailableError(`there is no summary: ${failure.message}`, { cause: failure });
  }
  throw new NoCondensationAvailableError(
    `of ${view.events.length} events none before the newest step may be summarised`,
  );
}
