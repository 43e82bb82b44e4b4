/** A shorter end may be any word's. Unit: characters. */
const leastBegun = 4;

/**
 * The text without an end with which a value begins, since nobody can tell that it does not: for texts that are cut off.
 * Values are looked for as they are and as JSON writes them.
 */
export function withoutBegun(text: string, values: readonly string[]): string {
  const forms = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  const begun = Math.max(0, ...forms.map((form) => begunLength(text, form)));
  return text.slice(0, text.length - begun);
}

/** How much of a value stands at the end of a text, the whole of it excepted. */
function begunLength(text: string, value: string): number {
  for (let length = Math.min(value.length - 1, text.length); length >= leastBegun; length--) {
    if (text.endsWith(value.slice(0, length))) return length;
  }
  return 0;
}
