const numbers = new Intl.NumberFormat('en-US');

/** Writes a number as people read it. */
export function shownNumber(count: number): string {
  return numbers.format(count);
}
