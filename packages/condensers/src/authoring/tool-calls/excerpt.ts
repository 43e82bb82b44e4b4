import { sliceText } from '@palimpsest/events';

/** The text, or its beginning and end with a note of the omitted length. Limit: characters. */
export function excerpt(text: string, limit: number): string {
  // A log may hold half of a surrogate pair, which providers refuse.
  if (text.length <= limit) return text.toWellFormed();
  const note = ` [… ${text.length - limit} characters left out …] `;
  const kept = Math.max(0, limit - note.length);
  if (kept < 40) return `${sliceText(text, 0, Math.max(0, limit - 1)).toWellFormed()}…`;
  const head = Math.ceil((kept * 2) / 3);
  return (sliceText(text, 0, head) + note + sliceText(text, text.length - (kept - head))).toWellFormed();
}

/** The text in one line: line breaks and runs of blanks become one blank. Cut like {@link excerpt}. */
export function oneLine(text: string, limit: number): string {
  // Only the part that is kept is searched.
  const near = text.length > limit * 8 ? `${sliceText(text, 0, limit * 4)} … ${sliceText(text, -limit * 2)}` : text;
  return excerpt(near.replaceAll(/\s+/g, ' ').trim(), limit);
}
