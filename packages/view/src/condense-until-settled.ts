import { createEvent as createEventByDefault, InvalidEventError } from '@palimpsest/events';
import type { Condensation, CreateEvent, Event } from '@palimpsest/events';
import { condensationProblem, condensedViewProblem } from './condensation-problem.js';
import type { AttemptReport, CondenseContext, Condenser } from './condenser.js';
import { isCondensation } from './condenser.js';
import { InvalidCondensedLogError, InvalidCondenserResultError, NoCondensationAvailableError } from './errors.js';
import { untilAborted } from './until-aborted.js';
import type { View } from './view.js';

/** A log that can be appended to, and the view of all that it holds. A {@link ViewProjection} is one. */
export interface CondensedLog {
  readonly view: View;
  append(event: Event): unknown;
}

/** Options of {@link condenseUntilSettled}: the condenser's context, and two more. */
export interface SettlingOptions extends CondenseContext {
  /** How many condensations may come in a row. @defaultValue 3 */
  readonly maxCondensations?: number | undefined;
  /** Makes the events that report attempts and settle requests. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/**
 * What a host does before each model call: asks the condenser, appends its condensation and asks again, until it returns a view.
 * That view is returned; send it to the model. The number of rounds is bounded: after `maxCondensations` in a row the log's own
 * view is returned (reported with the outcome `unsettled`).
 *
 * Reports are appended to the log as `condensation-attempt` before anything else, because condensers read their failures there,
 * and go to `report` too; one that is no valid event is appended as `invalid-report` with the reason. A result that a host must not take ({@link condensationProblem}, {@link condensedViewProblem}) is
 * reported and changes nothing. A request that cannot be met is settled by an empty condensation. With `preview` nothing is
 * appended.
 *
 * @throws what the condenser throws, but for {@link NoCondensationAvailableError}; what `append` throws.
 * @throws the signal's reason as soon as it is aborted, also when the condenser ignores the signal.
 * @throws {@link InvalidCondenserResultError} when the condenser returns neither a view nor a condensation.
 * @throws {@link InvalidCondensedLogError} when the log lacks `view` or `append`: an `EventLog` has no view.
 *
 * @example
 * ```ts
 * const view = await condenseUntilSettled(condenser, projection, { contextWindow: 200_000 });
 * ```
 */
export async function condenseUntilSettled(
  condenser: Condenser,
  log: CondensedLog,
  { maxCondensations = 3, createEvent = createEventByDefault, ...context }: SettlingOptions = {},
): Promise<View> {
  checkLog(log);
  for (let made = 0; ; made++) {
    context.signal?.throwIfAborted();
    const { view } = log;
    const attempts: AttemptReport[] = [];
    let result: View | Condensation = view;
    let isUnable = false;
    try {
      const report = (attempt: AttemptReport): void => void attempts.push(attempt);
      const asked = (async () => condenser.condense(view, { ...context, report }))();
      result = checkedResult(condenser, await untilAborted(asked, context.signal));
      const problem = isCondensation(result)
        ? condensationProblem(log.view, result, condenser)
        : condensedViewProblem(view, result);
      if (problem !== undefined) {
        attempts.push({ outcome: `refused-${problem.kind}`, reason: problem.reason });
        result = view;
        isUnable = true;
      } else if (isCondensation(result) && made >= maxCondensations) {
        attempts.push({ outcome: 'unsettled', reason: `it condensed ${made} times in a row` });
        result = view;
      }
    } catch (error) {
      if (!NoCondensationAvailableError.isInstance(error)) throw error;
      attempts.push({ outcome: 'unavailable', reason: error.message });
      isUnable = true;
    } finally {
      for (const attempt of attempts) {
        context.report?.(attempt);
        if (context.preview !== true) await log.append(attemptEvent(condenser, attempt, createEvent));
      }
    }
    if (context.preview === true) return isCondensation(result) ? view : result;
    if (!isCondensation(result)) {
      if (!isUnable || !log.view.unhandledCondensationRequest) return result;
      await log.append(nothingToForget(condenser, createEvent));
      return log.view;
    }
    await log.append(result);
  }
}

function checkLog(log: Partial<CondensedLog> | null | undefined): void {
  if (typeof log?.view?.toMessages !== 'function') throw new InvalidCondensedLogError('it has no `view`');
  if (typeof log.append !== 'function') throw new InvalidCondensedLogError('it has no `append`');
}

function checkedResult({ name }: Condenser, result: View | Condensation): View | Condensation {
  const isView = typeof (result as Partial<View> | null | undefined)?.toMessages === 'function';
  if (isView || isCondensation(result)) return result;
  throw new InvalidCondenserResultError(name, result);
}

/** The event of a report. One that is no valid event is named, so that it does not hide what the condenser throws. */
function attemptEvent({ name }: Condenser, attempt: AttemptReport, createEvent: CreateEvent): Event {
  try {
    return createEvent('condensation-attempt', { condenser: name, ...attempt });
  } catch (error) {
    if (!InvalidEventError.isInstance(error)) throw error;
    return createEvent('condensation-attempt', {
      condenser: name,
      outcome: 'invalid-report',
      reason: error.message,
    });
  }
}

/** The empty condensation, which settles a request that cannot be met. */
function nothingToForget({ name }: Condenser, createEvent: CreateEvent): Condensation {
  const metadata = { condenser: name, reason: 'nothing-to-forget' };
  return createEvent('condensation', { forgottenEventIds: [], metadata });
}
