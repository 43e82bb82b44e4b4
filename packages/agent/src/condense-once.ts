import type { Condensation, CreateEvent, Event } from '@palimpsest/events';
import { NoCondensationAvailableError } from '@palimpsest/view';
import type { CondenseContext, Condenser, View } from '@palimpsest/view';

/** The condenser's context, and where its reports go. */
export interface CondenseOnceOptions extends Omit<CondenseContext, 'report'> {
  readonly createEvent: CreateEvent;
  /** Called with a `condensation-attempt` for each report, in their order. */
  readonly onEvent: (event: Event) => void | Promise<void>;
}

/**
 * Asks a condenser once. What it reports goes into the log also when it throws. One that had to act and could not is
 * answered with an empty condensation, which settles the request.
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
  try {
    return await condenser.condense(view, { ...context, report });
  } catch (error) {
    if (!NoCondensationAvailableError.isInstance(error)) throw error;
    report({ outcome: 'unavailable', reason: error.message });
    return createEvent('condensation', {
      forgottenEventIds: [],
      metadata: { condenser: condenser.name, reason: 'nothing-to-forget' },
    });
  } finally {
    for (const attempt of attempts) await onEvent(attempt);
  }
}
