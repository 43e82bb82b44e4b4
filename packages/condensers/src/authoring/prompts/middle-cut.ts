import { sliceText } from '@palimpsest/events';

/**
 * The text, cut in the middle if it is too long, with a note of the missing length. Never longer than the limit. Unit:
 * characters.
 */
export function cutInMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const note = `\n[… ${text.length - limit} characters left out …]\n`;
  const kept = limit - note.length;
  if (kept < note.length) return sliceText(text, 0, Math.max(0, limit)).toWellFormed();
  const head = Math.ceil(kept / 2);
  return (sliceText(text, 0, head) + note + sliceText(text, text.length - (kept - head))).toWellFormed();
}
