/** Made when the first number is shown: the tables of a language take longer to load than all of our own code that prints. */
let numbers: Intl.NumberFormat | undefined;

/** Writes a number as people read it. */
export function shownNumber(count: number): string {
  numbers ??= new Intl.NumberFormat('en-US');
  return numbers.format(count);
}
