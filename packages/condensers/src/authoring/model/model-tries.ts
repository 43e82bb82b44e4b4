import type { Condensation } from '@palimpsest/events';
import type { CondenseContext } from '@palimpsest/view';
import { reportAttempt } from '../rolling/reports.js';
import { CondenserModelError } from './model-failure.js';

/** What the next try is given to read, after one that failed. Unit: share of the last. */
const scaleOfNextTry = 0.8;
const scaleAfterOverflow = 0.5;

/** How often to try, and after what. */
export interface Tries {
  readonly most: number;
  readonly isWorthIt: (failure: CondenserModelError) => boolean;
  /** What the first try is given to read. @defaultValue 1 */
  readonly scale?: number | undefined;
}

/** Tries with less and less to read. What a try but the last cost is reported, so that it is on record too. */
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

/** What the next try is given to read: less, and half where the last one was too long. */
export function nextScale(scale: number, { kind }: CondenserModelError): number {
  return scale * (kind === 'overflow' ? scaleAfterOverflow : scaleOfNextTry);
}
