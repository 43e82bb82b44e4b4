import type { Condensation } from '@palimpsest/events';
import type { CondenseContext } from '@palimpsest/view';
import { reportAttempt } from '../rolling/reports.js';
import { CondenserModelError } from './model-failure.js';

/** The size of the prompt after a failed try. Unit: share of the previous one. */
const scaleOfNextTry = 0.8;
const scaleAfterOverflow = 0.5;

/** How many tries to make, and for which failures. */
export interface Tries {
  readonly most: number;
  readonly isWorthIt: (failure: CondenserModelError) => boolean;
  /** The share of its input that the first try gives the model. @defaultValue 1 */
  readonly scale?: number | undefined;
}

/** Retries with ever shorter input. The cost of each try except the last is reported, so that the log records it. */
export async function tryAgain(
  { most, isWorthIt, scale = 1 }: Tries,
  condenser: string,
  context: CondenseContext,
  make: (scale: number) => Promise<Condensation>,
): Promise<Condensation> {
  for (let attempt = 1, share = scale; ; attempt++) {
    try {
      return await make(share);
    } catch (error) {
      if (!CondenserModelError.isInstance(error) || attempt >= most || !isWorthIt(error)) throw error;
      const { kind, account, message } = error;
      const data = { condenser, kind, attempt, inputScale: share, ...account };
      reportAttempt(context, { outcome: 'retried', reason: message, data });
      share = nextScale(share, error);
    }
  }
}

/** The input of the next try: shorter, and half if the last prompt was too long. */
export function nextScale(scale: number, { kind }: CondenserModelError): number {
  return scale * (kind === 'overflow' ? scaleAfterOverflow : scaleOfNextTry);
}
