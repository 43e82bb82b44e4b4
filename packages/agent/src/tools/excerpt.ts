import { sliceText } from '@palimpsest/events';

/** The beginning and the end of a text. */
export interface Excerpt {
  readonly head: string;
  readonly tail: string;
  /** The number of characters between the two. */
  readonly left: number;
}

/**
 * The beginning and the end of a text: two thirds and one third of so many characters. Commands report their outcome at the
 * end. No character is cut in two, and neither end keeps the whole text in memory.
 */
export function excerptOf(text: string, characters: number): Excerpt {
  const head = owned(sliceText(text, 0, Math.ceil((characters * 2) / 3)));
  const tail = owned(sliceText(text, text.length - Math.floor(characters / 3)));
  return { head, tail, left: text.length - head.length - tail.length };
}

/** A copy. The engine keeps the whole string in memory for a slice of it. */
function owned(slice: string): string {
  return JSON.parse(JSON.stringify(slice)) as string;
}
