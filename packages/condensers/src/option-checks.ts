import { InvalidCondenserConfigError } from './errors.js';

/**
 * Checks that an option is a whole number that is large enough.
 *
 * @throws {@link InvalidCondenserConfigError} when it is not.
 */
export function assertWholeNumber(condenser: string, option: string, value: number, atLeast: number): void {
  if (Number.isSafeInteger(value) && value >= atLeast) return;
  throw new InvalidCondenserConfigError({
    condenser,
    option,
    reason: `must be a whole number of at least ${atLeast}, not ${value}`,
  });
}
