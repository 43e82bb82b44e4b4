import { LimitExceededError } from './errors.js';

/** How far a run may go before it ends with {@link LimitExceededError}. */
export interface Limits {
  /** Model calls in one run; steps that condense do not count. Unit: steps. @defaultValue 500 */
  readonly maxIterations: number;
}

/**
 * How many condensations may follow each other with no model call between them. The third one still takes effect; where a
 * fourth would be needed the history cannot be made to fit.
 */
export const maxCondensationsInARow = 3;

/** The limits of a run where nothing else was said. */
export const defaultLimits: Limits = { maxIterations: 500 };

/** @throws {@link LimitExceededError} when the run has made as many model calls as it may. */
export function assertIterationsLeft(iterations: number, limits: Limits): void {
  if (iterations < limits.maxIterations) return;
  throw new LimitExceededError('iterations', limits.maxIterations, 'Run again to go on, or raise maxIterations.');
}

/** @throws {@link LimitExceededError} when one more condensation would be one too many. */
export function assertCondensationAllowed(condensationsInARow: number, cause?: unknown): void {
  if (condensationsInARow < maxCondensationsInARow) return;
  throw new LimitExceededError(
    'condensations-in-a-row',
    maxCondensationsInARow,
    'The history cannot be made to fit: lower what the condenser keeps, or use a model with a larger window.',
    { cause },
  );
}
