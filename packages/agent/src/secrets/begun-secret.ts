/** A shorter end can be part of any word. Unit: characters. */
const leastBegun = 4;

/**
 * Removes an end of the text with which a value may begin: for texts that were cut off. Values are looked for as they are and
 * as JSON writes them.
 */
export function withoutBegun(text: string, values: readonly string[]): string {
  const forms = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  const begun = Math.max(0, ...forms.map((form) => begunLength(text, form)));
  return text.slice(0, text.length - begun);
}

/** The length of the beginning of a value at the end of a text; the whole value does not count. */
function begunLength(text: string, value: string): number {
  for (let length = Math.min(value.length - 1, text.length); length >= leastBegun; length--) {
    if (text.endsWith(value.slice(0, length))) return length;
  }
  return 0;
}
