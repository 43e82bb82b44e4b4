import { parseEvent } from '@palimpsest/events';
import type { Condensation, CreateEvent, Event } from '@palimpsest/events';
import {
  condensationProblem,
  condensedViewProblem,
  CondenserTimeoutError,
  decisionOf,
  isCondensation,
  NoCondensationAvailableError,
} from '@palimpsest/view';
import type { AttemptReport, CondensationProblem, CondenseContext, Condenser, View } from '@palimpsest/view';
import { messageOf } from '../errors.js';
import { recordedCost } from '../model/call-cost.js';
import type { Emit } from '../event-sink.js';

/** The context of a condenser, and where its reports go. */
export interface CondenseOnceOptions extends Omit<CondenseContext, 'report'> {
  readonly createEvent: CreateEvent;
  /** Called once, with a `condensation-attempt` for each report in their order. */
  readonly emit: Emit;
  /** The view when the condenser has decided; the log may have grown meanwhile. @defaultValue the given view */
  readonly viewNow?: () => View;
  /** See {@link decisionOf}. @defaultValue 300000 */
  readonly condenserTimeoutMs?: number | undefined;
}

/**
 * Calls a condenser once. Its reports are emitted, also when it throws. If it must act but cannot, the result is an empty
 * condensation, which answers the request. A condenser that throws any other error, returns neither a view nor a
 * condensation, or returns one that is invalid or forgets protected events, forgets nothing: an attempt records the reason,
 * and the run goes on as long as the history fits. So does one that does not decide before the deadline.
 *
 * @throws the signal's reason, also when the condenser ignores the signal; what `emit` throws.
 */
export async function condenseOnce(
  condenser: Condenser,
  view: View,
  { createEvent, emit, viewNow = () => view, condenserTimeoutMs, ...context }: CondenseOnceOptions,
): Promise<View | Condensation> {
  const attempts: Event[] = [];
  const report = (attempt: AttemptReport): void => {
    attempts.push(createEvent('condensation-attempt', { condenser: condenser.name, ...attempt }));
  };
  const isAborted = (): boolean => context.signal?.aborted === true;
  try {
    const result = checked(await decisionOf(condenser, view, { ...context, report }, condenserTimeoutMs));
    const problem = isCondensation(result)
      ? condensationProblem(viewNow(), result, condenser)
      : condensedViewProblem(view, result);
    if (problem === undefined) return result;
    attempts.push(refusedAttempt(condenser.name, problem, result, createEvent));
    return view.unhandledCondensationRequest ? nothingToForget(condenser.name, createEvent) : view;
  } catch (error) {
    if (isAborted()) throw error;
    const isUnable = NoCondensationAvailableError.isInstance(error);
    // A deadline is reported already.
    if (!CondenserTimeoutError.isInstance(error)) {
      report({ outcome: isUnable ? 'unavailable' : 'failed', reason: messageOf(error) });
    }
    return isUnable || view.unhandledCondensationRequest ? nothingToForget(condenser.name, createEvent) : view;
  } finally {
    await emit(...attempts);
  }
}

/** An empty condensation: the answer to a request when nothing may be forgotten. */
export function nothingToForget(condenser: string, createEvent: CreateEvent): Condensation {
  return createEvent('condensation', {
    forgottenEventIds: [],
    metadata: { condenser, reason: 'nothing-to-forget' },
  });
}

/** Whether a condensation forgets and masks nothing. */
export function isEmpty({ forgottenEventIds, redactions = [] }: Condensation): boolean {
  return forgottenEventIds.length + redactions.length === 0;
}

/** The record that a condenser's result was refused, with the cost of its model call. */
export function refusedAttempt(
  condenser: string,
  { kind, reason }: CondensationProblem,
  result: View | Condensation,
  createEvent: CreateEvent,
): Event {
  const metadata: unknown = isCondensation(result) ? result.metadata : undefined;
  const isTold = typeof metadata === 'object' && metadata !== null;
  const paid = isTold ? recordedCost(metadata as Readonly<Record<string, unknown>>) : {};
  const attempt = { condenser, outcome: `refused-${kind}`, reason };
  try {
    return createEvent('condensation-attempt', { ...attempt, ...paid });
  } catch {
    // The recorded costs may be the invalid part.
    return createEvent('condensation-attempt', attempt);
  }
}

function checked(result: unknown): View | Condensation {
  const given = result as Partial<View & Condensation> | null | undefined;
  if (typeof given?.toMessages === 'function') return given as View;
  if (given?.type === 'condensation') return copied(given);
  throw new TypeError('The condenser returned neither a view nor a condensation.');
}

/**
 * Copies the result, so that nobody can change it between the check and the append. The check refuses a result that cannot be
 * copied.
 */
function copied(given: object): Condensation {
  try {
    return parseEvent(given) as Condensation;
  } catch {
    return given as Condensation;
  }
}
