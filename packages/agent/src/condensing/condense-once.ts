import { parseEvent } from '@palimpsest/events';
import type { Condensation, CreateEvent, Event } from '@palimpsest/events';
import {
  condensationProblem,
  condensedViewProblem,
  isCondensation,
  NoCondensationAvailableError,
} from '@palimpsest/view';
import type { AttemptReport, CondensationProblem, CondenseContext, Condenser, View } from '@palimpsest/view';
import { abortable } from '../abortable.js';
import { messageOf } from '../errors.js';
import { paidIn } from '../model/paid.js';
import type { Emit } from '../step/event-sink.js';

/** The condenser's context, and where its reports go. */
export interface CondenseOnceOptions extends Omit<CondenseContext, 'report'> {
  readonly createEvent: CreateEvent;
  /** Called once, with a `condensation-attempt` for each report in their order. */
  readonly emit: Emit;
  /** The view of the log as it is when the condenser has decided: it may have grown by then. @defaultValue the given one */
  readonly viewNow?: () => View;
}

/**
 * Asks a condenser once. What it reports goes into the log also when it throws. One that had to act and could not is
 * answered with an empty condensation, which settles the request. One that throws anything else, returns what is neither a view
 * nor a condensation, or what is refused because it is invalid or forgets what is protected, forgets nothing: that is on record,
 * and a broken policy does not end a run that still fits.
 *
 * @throws the signal's reason, also when the condenser does not listen to it; what `emit` throws.
 */
export async function condenseOnce(
  condenser: Condenser,
  view: View,
  { createEvent, emit, viewNow = () => view, ...context }: CondenseOnceOptions,
): Promise<View | Condensation> {
  const attempts: Event[] = [];
  const report = (attempt: AttemptReport): void => {
    attempts.push(createEvent('condensation-attempt', { condenser: condenser.name, ...attempt }));
  };
  const isAborted = (): boolean => context.signal?.aborted === true;
  try {
    const asked = (async () => condenser.condense(view, { ...context, report }))();
    const result = checked(await abortable(asked, context.signal));
    const problem = isCondensation(result)
      ? condensationProblem(viewNow(), result, condenser)
      : condensedViewProblem(view, result);
    if (problem === undefined) return result;
    attempts.push(refusedAttempt(condenser.name, problem, result, createEvent));
    return view.unhandledCondensationRequest ? nothingToForget(condenser.name, createEvent) : view;
  } catch (error) {
    if (isAborted()) throw error;
    const isUnable = NoCondensationAvailableError.isInstance(error);
    report({ outcome: isUnable ? 'unavailable' : 'failed', reason: messageOf(error) });
    return isUnable || view.unhandledCondensationRequest ? nothingToForget(condenser.name, createEvent) : view;
  } finally {
    await emit(...attempts);
  }
}

/** The empty condensation: somebody had to act, and nothing may be forgotten. */
export function nothingToForget(condenser: string, createEvent: CreateEvent): Condensation {
  return createEvent('condensation', {
    forgottenEventIds: [],
    metadata: { condenser, reason: 'nothing-to-forget' },
  });
}

/** True for a condensation that settles a request and does nothing else. */
export function isEmpty({ forgottenEventIds, redactions = [] }: Condensation): boolean {
  return forgottenEventIds.length + redactions.length === 0;
}

/** The record that what a condenser returned was not taken. What it cost was paid all the same. */
export function refusedAttempt(
  condenser: string,
  { kind, reason }: CondensationProblem,
  result: View | Condensation,
  createEvent: CreateEvent,
): Event {
  const metadata: unknown = isCondensation(result) ? result.metadata : undefined;
  const isTold = typeof metadata === 'object' && metadata !== null;
  const paid = isTold ? paidIn(metadata as Readonly<Record<string, unknown>>) : {};
  const attempt = { condenser, outcome: `refused-${kind}`, reason };
  try {
    return createEvent('condensation-attempt', { ...attempt, ...paid });
  } catch {
    // What it says of its costs may be what is wrong with it.
    return createEvent('condensation-attempt', attempt);
  }
}

function checked(result: unknown): View | Condensation {
  const given = result as Partial<View & Condensation> | null | undefined;
  if (typeof given?.toMessages === 'function') return given as View;
  if (given?.type === 'condensation') return copied(given);
  throw new TypeError('The condenser returned neither a view nor a condensation.');
}

/** A copy that nobody changes between the check and the append; what cannot be copied is refused by the check. */
function copied(given: object): Condensation {
  try {
    return parseEvent(given) as Condensation;
  } catch {
    return given as Condensation;
  }
}
