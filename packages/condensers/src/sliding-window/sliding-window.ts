import { isUserMessage } from '@palimpsest/events';
import type { Condensation, CreateEvent } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { matchingEvents, NoCondensationAvailableError } from '@palimpsest/view';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';
import { isHeldBack } from '../authoring/rolling/back-off.js';
import { backgroundCondenser, telling } from '../authoring/model/background.js';
import { CondenserModelError } from '../authoring/model/model-failure.js';
import { noContext } from '../authoring/no-context.js';
import type { Prompt } from '../authoring/prompts/prompt.js';
import { requirementOf } from '../authoring/rolling/requirement.js';
import type { Summarizer } from '../authoring/summaries/summarizer.js';
import { wasAttempted } from './attempts.js';
import { checkedOptions } from './checked-options.js';
import type { CheckedOptions } from './checked-options.js';
import { promptSize } from './prompt-size.js';
import { timelineOf } from './timeline.js';
import { carryOut, isWorthIt, reportFailure, summarise } from './window-attempt.js';
import { condenserName, latestRecord } from './window-record.js';
import { windowForTokens, windowOfInvocations, windowsOnRequest } from './window-triggers.js';

/** Options of {@link slidingWindowCondenser}. */
export interface SlidingWindowOptions {
  /**
   * So many completed invocations that no summary speaks of make a window. Goes with `overlapSize`. Unit: invocations, at least 1.
   * @defaultValue none: windows are made by `tokenThreshold` alone
   */
  readonly compactionInterval?: number;
  /** How many invocations of the window before are read again with the new ones. Unit: invocations. @defaultValue none */
  readonly overlapSize?: number;
  /**
   * As soon as the next model call would be sent so many tokens, what is older than the newest events is rolled up. Goes with
   * `eventRetentionSize`. Unit: tokens. @defaultValue none
   */
  readonly tokenThreshold?: number;
  /** How many of the newest events stay then, at least. Unit: events. @defaultValue none */
  readonly eventRetentionSize?: number;
  /** More summaries than this are rolled up into one with the next window. Unit: summaries, at least 1. @defaultValue 10 */
  readonly maxSummaries?: number;
  /** The model that writes the summaries. One of `llm` and `summarizer` is needed. */
  readonly llm?: LLM;
  /** What the model is asked: a Jinja template, or a function. Only with `llm`. @defaultValue {@link windowSummaryTemplate} */
  readonly prompt?: string | Prompt;
  /** Writes the summaries, in the place of `llm`. */
  readonly summarizer?: Summarizer;
  /** Another name for `summarizer`, by which it is known too. Only one of the two may be given. */
  readonly compactor?: Summarizer;
  /** How long a summary is asked to be at most. Unit: tokens. @defaultValue 2000 */
  readonly maxSummaryTokens?: number;
  /** How long a summary may take. Unit: milliseconds. @defaultValue 120000 */
  readonly timeoutMs?: number;
  /** The tools that end a run. @defaultValue `finish` */
  readonly finishTools?: readonly string[];
  /**
   * Has summaries written while the agent goes on, and puts them in at a later step; only a view over the model's window, or a
   * request, waits. After a restart it begins again. @defaultValue false
   */
  readonly background?: boolean;
  /** Makes the condensations. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent;
}

/**
 * Summarises a conversation in windows of whole invocations. An invocation starts with a message of the user that follows a
 * finished run, and is completed when the next one starts; so the request that the agent works on is never inside a window. With
 * an interval of 3 and an overlap of 1 the windows are 1–3, 3–6, 6–9: overlapping invocations are read again as they were logged.
 * A summary whose every event is in a later window vanishes; others stay side by side, up to `maxSummaries`.
 *
 * By tokens, everything but the newest events becomes one summary together with the latest one, and then no window is made until
 * the user's next request. The agent's newest step always stays. It answers requests: by a window of what is completed, or else
 * by whatever may go.
 *
 * A call without a result holds back what follows it until as many more invocations as the interval are completed; then it is
 * abandoned. By tokens and on request only a call whose result came later holds anything back. When that leaves nothing, it is
 * reported (`outcome: 'blocked'`).
 *
 * A summariser that fails, says nothing, is too slow, or writes more than it replaces changes nothing and is reported
 * (`outcome: 'failed'`); the next invocation tries again with a larger window. The metadata of each condensation says what was
 * read (`coveredEventIds`, and what it `replaces` covers), so windows go by event ids, never by times. Only condensations
 * of this condenser count; what others wrote is history.
 *
 * Bound: `maxSummaries` summaries of its own. Besides them, at most `compactionInterval` completed invocations that are not
 * summarised, as long as summaries succeed and no call is open, and the live one, which only `tokenThreshold` keeps small.
 *
 * @throws {@link InvalidCondenserConfigError} when half of a pair is missing, there is nobody or more than one to write summaries,
 *   or a number is out of range; `condense` throws {@link NoCondensationAvailableError} when a condensation was asked for and
 *   none is possible.
 * @see EventsCompactionConfig of Google's Agent Development Kit for Python, 1.16 and later
 */
export function slidingWindowCondenser(options: SlidingWindowOptions): Condenser {
  const checked = checkedOptions(options);
  if (options.background !== true) return windowCondenser(checked);
  return backgroundCondenser({
    name: condenserName,
    create: (asks) => windowCondenser({ ...checked, summarizer: telling(checked.summarizer, asks) }),
    mustWait: (view, context) =>
      requirementOf(view, context, { maxSize: Infinity, maxTokens: undefined }).level === 'hard',
  });
}

function windowCondenser(checked: CheckedOptions): Condenser {
  return {
    name: condenserName,
    handlesCondensationRequests: true,
    condense: async (view: View, context: CondenseContext = noContext) => {
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
  options: CheckedOptions,
): Promise<Condensation | undefined> {
  const { tokens, maxSummaries, finishTools } = options;
  if (tokens === undefined || promptSize(view, context) < tokens.threshold || isHeldBack(view, condenserName)) {
    return undefined;
  }
  const timeline = timelineOf(view, finishTools);
  const outcome = windowForTokens(view, timeline, { retention: tokens.retention, maxSummaries });
  if (outcome.plan !== undefined && !isWorthIt(view, outcome.plan)) return undefined;
  return carryOut({ view, timeline, outcome, reason: 'tokens', context, options });
}

async function condenseWindow(
  view: View,
  context: CondenseContext,
  options: CheckedOptions,
): Promise<Condensation | undefined> {
  const { invocations, maxSummaries, finishTools } = options;
  if (invocations === undefined || mostInvocations(view) <= invocations.interval) return undefined;
  const timeline = timelineOf(view, finishTools);
  const { live } = timeline;
  const completed = timeline.invocations.slice(0, -1);
  if (live === undefined || completed.filter(({ isNew }) => isNew).length < invocations.interval) return undefined;
  const latest = latestRecord(view);
  if (latest?.reason === 'tokens' && latest.requestId === live.start) return undefined;
  if (wasAttempted(view, 'failed', live.start)) return undefined;
  const limits = { ...invocations, maxSummaries, patience: invocations.interval };
  const outcome = windowOfInvocations(view, timeline, limits);
  return carryOut({ view, timeline, outcome, reason: 'interval', context, options });
}

const mayStartInvocation = matchingEvents((event) => isUserMessage(event) || event.type === 'condensation-summary');

/** No more invocations than this have something in the view, the live one included. Cheap, because it is asked at each step. */
function mostInvocations({ events }: View): number {
  return 1 + mayStartInvocation(events).count;
}

async function answerRequest(view: View, context: CondenseContext, options: CheckedOptions): Promise<Condensation> {
  const { invocations, tokens, maxSummaries, finishTools } = options;
  const timeline = timelineOf(view, finishTools);
  const limits = { overlap: invocations?.overlap ?? 0, retention: tokens?.retention ?? 0, maxSummaries };
  let failure: CondenserModelError | undefined;
  for (const { plan } of windowsOnRequest(view, timeline, limits)) {
    if (plan === undefined) continue;
    try {
      return await summarise({ view, timeline, plan, reason: 'request', context, options });
    } catch (error) {
      if (!CondenserModelError.isInstance(error)) throw error;
      reportFailure({ view, timeline, context, reason: 'request' }, error);
      failure = error;
      // A larger window may be worth its summary; a model that fails will fail again.
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
