/** Made when the first number is shown: the tables of a language take longer to load than all of our own code that prints. */
let numbers: Intl.NumberFormat | undefined;

/** Writes a number as people read it. */
export function shownNumber(count: number): string {
  numbers ??= new Intl.NumberFormat('en-US');
  return numbers.format(count);
}

/** A number of tokens, in thousands or millions. */
export function inThousands(tokens: number): string {
  if (tokens < 1_000) return shownNumber(Math.round(tokens));
  if (tokens < 999_500) return `${(tokens / 1_000).toFixed(tokens < 9_950 ? 1 : 0)}k`;
  return `${(tokens / 1_000_000).toFixed(tokens % 1_000_000 === 0 ? 0 : 1)}M`;
}
