import type { Condensation } from '@palimpsest/events';
import { NoCondensationAvailableError } from '@palimpsest/view';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';
import { isHeldBack, isKnownUnavailable, sizeNow } from './back-off.js';
import { CondenserModelError } from '../model/model-failure.js';
import { reportAttempt, reportFailedCall } from './reports.js';
import type { Requirement } from './requirement.js';

type MaybePromise<Value> = Value | Promise<Value>;

/** The parts of a rolling condenser. */
export interface RollingOptions {
  readonly name: string;
  /** What the view requires. Called at each step, so it must be cheap: O(1), or O(new events). */
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
 * The rolling base, by composition instead of inheritance. If the view requires nothing, it is returned unchanged. If no
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
      if (!requirement.reasons.includes('request') && isHeldBack(view, name)) return view;
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
  const data = { condenser: name, events: sizeNow(view), tokens: view.tokens(), tokenBudget };
  reportAttempt(context, { outcome: 'unavailable', reason: failure.message, data });
}
