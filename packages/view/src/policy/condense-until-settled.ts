import { createEvent as createEventByDefault, InvalidEventError } from '@palimpsest/events';
import type { Condensation, CreateEvent, Event } from '@palimpsest/events';
import { isCondensation } from '../condenser.js';
import type { AttemptReport, CondenseContext, Condenser } from '../condenser.js';
import { InvalidCondensedLogError, InvalidCondenserResultError, NoCondensationAvailableError } from '../errors.js';
import type { View } from '../view.js';
import { condensationProblem, condensedViewProblem } from './condensation-problem.js';
import { decisionOf } from './decision.js';
import { withCutWords } from './protected-cuts.js';

/** A log with an `append` method and the view of all its events. {@link ViewProjection} implements it. */
export interface CondensedLog {
  readonly view: View;
  append(event: Event): unknown;
}

/** Options of {@link condenseUntilSettled}: the condenser's context, and three more. */
export interface SettlingOptions extends CondenseContext {
  /** The maximum number of condensations in a row. @defaultValue 3 */
  readonly maxCondensations?: number | undefined;
  /**
   * The time that each call of the condenser may take, unless its own deadline is longer. Unit: milliseconds;
   * `Infinity` is no deadline.
   * @defaultValue 300000
   */
  readonly condenserTimeoutMs?: number | undefined;
  /** Makes the events that report attempts and settle requests. @defaultValue the factory of `@palimpsest/events` */
  readonly createEvent?: CreateEvent | undefined;
}

/**
 * Runs a condenser before a model call: calls it, appends its condensation and calls it again, until it returns a view.
 * Returns that view. Send it to the model. The number of rounds is bounded: after `maxCondensations` in a row, empty
 * ones among them, the log's own view is returned (reported with the outcome `unsettled`).
 *
 * Reports are appended to the log as `condensation-attempt` events before the result, because condensers read their failures
 * there. They are passed to `report` too. A report that is not a valid event is appended as `invalid-report` with the reason. A
 * result with a problem ({@link condensationProblem}, {@link condensedViewProblem}) is reported and not applied. If a
 * condensation request cannot be met, an empty condensation settles it. With `preview: true` nothing is appended.
 *
 * @throws the errors of the condenser, except {@link NoCondensationAvailableError}, and the errors of `append`.
 * @throws the signal's reason as soon as the signal is aborted, even if the condenser ignores the signal.
 * @throws {@link CondenserTimeoutError} when the condenser does not decide before the deadline; the attempt is appended.
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
  { maxCondensations = 3, condenserTimeoutMs, createEvent = createEventByDefault, ...context }: SettlingOptions = {},
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
      result = checkedResult(condenser, await decisionOf(condenser, view, { ...context, report }, condenserTimeoutMs));
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
    await log.append(withCutWords(log.view, result, context.contextWindow));
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

/**
 * The event of a report. An invalid report becomes an `invalid-report` event, so that it does not hide the condenser's own
 * error.
 */
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
