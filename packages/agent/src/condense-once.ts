import type { Condensation, CreateEvent, Event } from '@palimpsest/events';
import { NoCondensationAvailableError } from '@palimpsest/view';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';
import { abortable } from './abortable.js';
import { messageOf } from './errors.js';

/** The condenser's context, and where its reports go. */
export interface CondenseOnceOptions extends Omit<CondenseContext, 'report'> {
  readonly createEvent: CreateEvent;
  /** Called with a `condensation-attempt` for each report, in their order. */
  readonly onEvent: (event: Event) => void | Promise<void>;
}

/**
 * Asks a condenser once. What it reports goes into the log also when it throws. One that had to act and could not is
 * answered with an empty condensation, which settles the request. One that throws anything else, or returns what is neither
 * a view nor a condensation, forgets nothing: that is on record, and a broken policy does not end a run that still fits.
 *
 * @throws the signal's reason, also when the condenser does not listen to it; what `onEvent` throws.
 */
export async function condenseOnce(
  condenser: Condenser,
  view: View,
  { createEvent, onEvent, ...context }: CondenseOnceOptions,
): Promise<View | Condensation> {
  const attempts: Event[] = [];
  const report: CondenseContext['report'] = (attempt) => {
    attempts.push(createEvent('condensation-attempt', { condenser: condenser.name, ...attempt }));
  };
  const isAborted = (): boolean => context.signal?.aborted === true;
  try {
    const asked = (async () => condenser.condense(view, { ...context, report }))();
    const result: unknown = await abortable(asked, context.signal);
    return checked(result);
  } catch (error) {
    if (isAborted()) throw error;
    const isUnable = NoCondensationAvailableError.isInstance(error);
    report({ outcome: isUnable ? 'unavailable' : 'failed', reason: messageOf(error) });
    return isUnable || view.unhandledCondensationRequest ? nothingToForget(condenser.name, createEvent) : view;
  } finally {
    for (const attempt of attempts) await onEvent(attempt);
  }
}

/** The empty condensation: somebody had to act, and nothing may be forgotten. */
export function nothingToForget(condenser: string, createEvent: CreateEvent): Condensation {
  return createEvent('condensation', {
    forgottenEventIds: [],
    metadata: { condenser, reason: 'nothing-to-forget' },
  });
}

function checked(result: unknown): View | Condensation {
  const given = result as Partial<View & Condensation> | null | undefined;
  if (typeof given?.toMessages === 'function') return given as View;
  if (given?.type === 'condensation') return given as Condensation;
  throw new TypeError('The condenser returned neither a view nor a condensation.');
}
