import type { Condensation } from '@palimpsest/events';
import { NoCondensationAvailableError } from '@palimpsest/view';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';
import { isHeldBack, isKnownUnavailable, sizeNow } from './back-off.js';
import { CondenserModelError } from '../model/model-failure.js';
import { reportAttempt, reportFailedCall } from './reports.js';
import type { Requirement } from './requirement.js';

type MaybePromise<Value> = Value | Promise<Value>;

/** What a rolling condenser is put together from. */
export interface RollingOptions {
  readonly name: string;
  /** What the view requires. Asked at each step, so it must be cheap: O(1), or O(new events). */
  readonly requirement: (view: View, context: CondenseContext) => Requirement;
  /**
   * Makes the condensation.
   *
   * @throws {@link NoCondensationAvailableError} when nothing may be forgotten; {@link CondenserModelError} when the model that
   *   it asks fails.
   */
  readonly getCondensation: (
    view: View,
    requirement: Requirement,
    context: CondenseContext,
  ) => MaybePromise<Condensation>;
  /**
   * The last resort, when the view must be condensed and `getCondensation` threw `failure`. Undefined where there is none.
   *
   * @throws what `getCondensation` throws, which then counts instead.
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
 * The rolling base, put together instead of inherited from: nothing happens while the view requires nothing. When it does and no
 * condensation can be made, a soft requirement leaves the view as it is, and a hard one tries the last resort; when that fails
 * too, a request ends in {@link NoCondensationAvailableError}, and a view that is only too large is reported and returned.
 *
 * A model that failed is reported (`outcome: 'failed'`). While the log says so, the next attempts are held back for 4, 8, 16 … 64
 * events, unless somebody asks: a view that is too large for the model ends in a request, which is never held back.
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
      // Sizes are estimates: whether the view is too large is for the provider to say, and a request follows if it is.
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

/** Tells the host that nothing may be forgotten; of the same view only now and then. On a request it is thrown instead. */
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
