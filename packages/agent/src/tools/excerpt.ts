import { sliceText } from '@palimpsest/events';

/** The two ends of a text. */
export interface Excerpt {
  readonly head: string;
  readonly tail: string;
  /** What stands between the two. Unit: characters. */
  readonly left: number;
}

/**
 * The beginning of a text and its end, where commands say how they ended: two thirds and one third of so many characters. No
 * character is cut in two, and the ends hold no reference to the whole text, so that the memory of the whole can be freed.
 */
export function excerptOf(text: string, characters: number): Excerpt {
  const head = owned(sliceText(text, 0, Math.ceil((characters * 2) / 3)));
  const tail = owned(sliceText(text, text.length - Math.floor(characters / 3)));
  return { head, tail, left: text.length - head.length - tail.length };
}

/** A slice of a long string keeps all of it in memory; a string that was read anew does not. */
function owned(slice: string): string {
  return JSON.parse(JSON.stringify(slice)) as string;
}
