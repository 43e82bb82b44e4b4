/**
 * Returns a part of a text, as `String.prototype.slice` gives it, that never begins or ends inside of a surrogate pair:
 * a pair at an edge is left out. So a part of well-formed text is well-formed, and never longer than what was asked
 * for.
 *
 * @param start - unit: UTF-16 code units; negative counts from the end. @defaultValue 0
 * @param end - as `start`. @defaultValue the end of the text
 */
export function sliceText(text: string, start = 0, end = text.length): string {
  const from = placeIn(text, start);
  const to = placeIn(text, end);
  if (from >= to) return '';
  return text.slice(splitsPair(text, from) ? from + 1 : from, splitsPair(text, to) ? to - 1 : to);
}

/**
 * Returns the place where a text can be cut so that no surrogate pair is split: the index itself, or the one before it.
 * For texts that are handed out in parts, each of which begins where the last one ended.
 *
 * @param index - unit: UTF-16 code units
 */
export function textBoundary(text: string, index: number): number {
  return splitsPair(text, index) ? index - 1 : index;
}

/**
 * Returns the next part of a text that is handed out in parts: about as long as asked for, never inside of a surrogate
 * pair, and not empty before the end. Where an offset splits a pair, the part begins with the pair; the next one begins
 * at `end`.
 *
 * @param offset - unit: UTF-16 code units, as `length` and the result
 */
export function textRange(
  text: string,
  offset: number,
  length: number,
): { readonly start: number; readonly end: number } {
  const start = textBoundary(text, Math.min(offset, text.length));
  const end = textBoundary(text, Math.min(offset + length, text.length));
  return { start, end: end > start ? end : Math.min(start + 2, text.length) };
}

/** Control characters but tab and line feed: of seven and of eight bits, and DEL. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Returns the text without control characters. Tabs and line feeds stay. */
export function withoutControls(text: string): string {
  return text.replace(controls, '');
}

function placeIn(text: string, index: number): number {
  return index < 0 ? Math.max(0, text.length + index) : Math.min(text.length, index);
}

function splitsPair(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length) return false;
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
