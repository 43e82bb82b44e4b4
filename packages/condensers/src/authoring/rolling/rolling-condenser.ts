import type { Condensation } from '@palimpsest/events';
import { NoCondensationAvailableError, viewOfLog } from '@palimpsest/view';
import type { AttemptReport, CondenseContext, Condenser, View } from '@palimpsest/view';
import { CondenserModelError } from '../definition/errors.js';
import { definedOf } from './requirement.js';
import type { Requirement } from './requirement.js';

type MaybePromise<Value> = Value | Promise<Value>;

/** The parts of a rolling condenser. */
export interface RollingOptions {
  readonly name: string;
  /** Returns the requirement of the view. Called at each step, so it must be cheap: O(1), or O(new events). */
  readonly requirement: (view: View, context: CondenseContext) => Requirement;
  /**
   * Makes the condensation.
   *
   * @throws {@link NoCondensationAvailableError} when nothing may be forgotten; {@link CondenserModelError} when its model fails.
   */
  readonly getCondensation: (
    view: View,
    requirement: Requirement,
    context: CondenseContext,
  ) => MaybePromise<Condensation>;
  /**
   * The last resort if the view must be condensed and `getCondensation` threw `failure`. Undefined if there is none.
   *
   * @throws the same errors as `getCondensation`; they replace `failure`.
   */
  readonly hardReset?:
    | ((
        view: View,
        requirement: Requirement,
        context: CondenseContext,
        failure: NoCondensationAvailableError | CondenserModelError,
      ) => MaybePromise<Condensation | undefined>)
    | undefined;
}

/**
 * Returns a rolling condenser, by composition instead of inheritance. If the view requires nothing, it is returned unchanged. If no
 * condensation can be made, a soft requirement leaves the view unchanged and a hard one tries the last resort. If the last resort
 * fails too, a request throws {@link NoCondensationAvailableError}; a view that is only too large is reported and returned.
 *
 * A failed model call is reported (`outcome: 'failed'`). As long as the log holds the failure, the next attempts wait for 4, 8,
 * 16 … 64 events. A request never waits, and a view that is too large for the model ends in a request.
 *
 * @see RollingCondenser of OpenHands' software-agent-sdk at 611629e6 for the table of outcomes
 *
 * @example
 * ```ts
 * const keepHalf = rollingCondenser({
 *   name: 'keepHalf',
 *   requirement: (view, context) => requirementOf(view, context, { maxSize: 80, maxTokens: undefined }),
 *   getCondensation: (view, { reasons }) =>
 *     condensation({
 *       view,
 *       start: 1,
 *       end: Math.floor(view.events.length / 2),
 *       summary: 'What was said before is in the log.',
 *       metadata: { condenser: 'keepHalf', reason: reasons.join(', '), tokensBefore: view.tokens() },
 *     }),
 * });
 * ```
 */
export function rollingCondenser(options: RollingOptions): Condenser {
  const { name, hardReset } = options;
  return {
    name,
    handlesCondensationRequests: true,
    condense: async (view, context = {}) => {
      context.signal?.throwIfAborted();
      if (context.preview === true) return view;
      const requirement = options.requirement(view, context);
      if (requirement.level === 'none') return view;
      if (!requirement.reasons.includes('request') && isBackingOff(view, name)) return view;
      const first = await attempt(() => options.getCondensation(view, requirement, context));
      if (!isFailure(first)) return first;
      const last =
        requirement.level === 'hard' && hardReset !== undefined
          ? await attempt(() => hardReset(view, requirement, context, first))
          : undefined;
      const call = { condenser: name, view, context };
      if (last !== undefined && CondenserModelError.isInstance(first))
        reportFailedCall({ ...call, failure: first, outcome: 'retried' });
      if (last !== undefined && !isFailure(last)) return last;
      const failure =
        CondenserModelError.isInstance(first) && !CondenserModelError.isInstance(last) ? first : (last ?? first);
      if (CondenserModelError.isInstance(failure)) reportFailedCall({ ...call, failure });
      if (requirement.reasons.includes('request')) throw unavailable(failure);
      reportUnavailable(name, view, requirement, context, failure);
      // Sizes are estimates: only the provider knows whether the view is too large. If it is, a request follows.
      return view;
    },
  };
}

type Failure = NoCondensationAvailableError | CondenserModelError;

async function attempt<Result>(make: () => MaybePromise<Result>): Promise<Result | Failure> {
  try {
    return await make();
  } catch (error) {
    if (isFailure(error)) return error;
    throw error;
  }
}

function isFailure(result: unknown): result is Failure {
  return NoCondensationAvailableError.isInstance(result) || CondenserModelError.isInstance(result);
}

function unavailable(failure: Failure): NoCondensationAvailableError {
  if (!CondenserModelError.isInstance(failure)) return failure;
  return new NoCondensationAvailableError(`the model gave no summary: ${failure.message}`, { cause: failure });
}

/** Reports that nothing may be forgotten, for the same view only now and then. A request throws instead. */
function reportUnavailable(
  name: string,
  view: View,
  { tokenBudget }: Requirement,
  context: CondenseContext,
  failure: Failure,
): void {
  if (CondenserModelError.isInstance(failure) || isKnownUnavailable(view, name)) return;
  const data = { condenser: name, events: eventCount(view), tokens: view.tokens(), tokenBudget };
  reportAttempt(context, { outcome: 'unavailable', reason: failure.message, data });
}

/** Reports an attempt to the host, without undefined data, which JSON cannot represent. */
export function reportAttempt(context: CondenseContext, { data = {}, ...attempt }: AttemptReport): void {
  context.report?.({ ...attempt, data: definedOf(data) });
}

/** A failed model call. */
export interface FailedCall {
  readonly condenser: string;
  readonly view: View;
  readonly context: CondenseContext;
  readonly failure: CondenserModelError;
  /** `retried` if the condenser calls the model again. @defaultValue `failed` */
  readonly outcome?: 'failed' | 'retried' | undefined;
  /** Additional data of the report. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Reports a failed model call with its usage and cost. {@link isBackingOff} reads the report after the host has appended it to the
 * log.
 */
export function reportFailedCall({ condenser, view, context, failure, outcome = 'failed', data }: FailedCall): void {
  const { kind, account, message } = failure;
  const size = { events: eventCount(view), tokens: view.tokens() };
  reportAttempt(context, { outcome, reason: message, data: { condenser, kind, ...data, ...size, ...account } });
}

/** The wait after the first failure. Unit: events of the stored view. */
const firstWait = 4;
/** The longest wait. Unit: events of the stored view. */
const longestWait = 64;
/** The number of newest internal events that are read: more than a model writes during the longest waits. */
const searched = 1_000;

/**
 * Returns true while a condenser should not call its model again. After a failed attempt the view must grow by 4 events, after two
 * failures in a row by 8, and so on to 64. An effective condensation of any condenser ends the wait. The wait is measured on the
 * stored view, which also grows if an earlier condenser always shows the same number of events. The attempts are read from the
 * log, so without a host that appends them there is no wait. Costs O(1): only the newest thousand internal events are read.
 */
export function isBackingOff(view: View, condenser: string): boolean {
  const sizes = attemptsSince(view, condenser, 'failed');
  const wait = Math.min(longestWait, firstWait * 2 ** (sizes.length - 1));
  return hasNotGrown(view, sizes[0], wait);
}

/** Returns true if the log already states, within the last 64 events of the view, that a condenser could not act. Costs O(1). */
export function isKnownUnavailable(view: View, condenser: string): boolean {
  return hasNotGrown(view, attemptsSince(view, condenser, 'unavailable')[0], longestWait);
}

/** Returns true if the log states that a condenser could not act, since the last condensation. Costs O(1): a thousand events are read. */
export function isStatedUnavailable(view: View, condenser: string): boolean {
  return attemptsSince(view, condenser, 'unavailable').length > 0;
}

function hasNotGrown(view: View, since: number | undefined, wait: number): boolean {
  if (since === undefined) return false;
  const grown = eventCount(view) - since;
  return grown >= 0 && grown < wait;
}

/** Returns the member `events` of a report. Unit: events of the stored view. */
export function eventCount(view: View): number {
  return viewOfLog(view).events.length;
}

/** Returns the size of the stored view at each attempt with this outcome since the last condensation, the newest first. */
function attemptsSince(view: View, condenser: string, outcome: string): readonly number[] {
  const sizes: number[] = [];
  const end = Math.max(0, view.internalEvents.length - searched);
  for (let index = view.internalEvents.length - 1; index >= end; index--) {
    const event = view.internalEvents.at(index);
    if (event?.type === 'condensation' && !isEmpty(event)) break;
    if (event?.type !== 'condensation-attempt' || event.outcome !== outcome) continue;
    // In a pipeline the attempt carries the pipeline's name and this condenser's data.
    if ((event.data?.['condenser'] ?? event.condenser) !== condenser) continue;
    const size = event.data?.['events'];
    if (typeof size === 'number') sizes.push(size);
  }
  return sizes;
}

/** Returns true for an empty condensation. It answers a request that could not be met, and says nothing about the model. */
function isEmpty({ forgottenEventIds, redactions = [], summary }: Condensation): boolean {
  return forgottenEventIds.length === 0 && redactions.length === 0 && summary === undefined;
}
