import { textRange } from '@palimpsest/events';

/** One page of a text. */
export interface Page {
  readonly text: string;
  /** The place of the page in the text. Unit: UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/**
 * A text in pages of at most so many characters each, which together are the text. A page ends at the end of a line if one lies
 * in its second half, and never inside of a character. An empty text has one page.
 */
export function pagesOf(text: string, maxCharacters: number): readonly Page[] {
  const pages: Page[] = [];
  let from = 0;
  do {
    const { start, end } = textRange(text, from, maxCharacters);
    const line = end < text.length ? text.lastIndexOf('\n', end - 1) + 1 : end;
    const to = line > start + maxCharacters / 2 ? line : end;
    pages.push({ text: text.slice(start, to), start, end: to });
    from = to;
  } while (from < text.length);
  return pages;
}

const charactersPerToken = 4;
/** For the first line of an answer. Unit: characters. */
const headingCharacters = 600;
const leastCharacters = 200;

/**
 * The length of a page: the tokens at four characters each, halved until the page fits beside its heading into what the host
 * shows of an output. Halving keeps the places where pages end nearly the same when the limit changes.
 */
export function pageCharacters(pageTokens: number, maxOutputCharacters = Infinity): number {
  let characters = pageTokens * charactersPerToken;
  while (characters > leastCharacters && characters + headingCharacters > maxOutputCharacters) {
    characters = Math.ceil(characters / 2);
  }
  return characters;
}
