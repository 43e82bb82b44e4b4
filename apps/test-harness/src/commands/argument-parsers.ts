import { InvalidArgumentError } from 'commander';

/** Parser of an option that may be given more than once. */
export function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}

/** @throws {@link InvalidArgumentError} for anything but a whole number above 0 */
export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value <= 0) throw new InvalidArgumentError('A whole number above 0 is needed.');
  return value;
}

/** @throws {@link InvalidArgumentError} for anything but a whole number from 0 on */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0 || text.trim() === '')
    throw new InvalidArgumentError('A whole number is needed.');
  return value;
}

/** Parser of whole numbers above 0 with commas between them. @throws {@link InvalidArgumentError} */
export function positiveIntegers(text: string): readonly number[] {
  return text.split(',').map(positiveInteger);
}
