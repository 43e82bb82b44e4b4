import { textRange } from '@palimpsest/events';
import type { ContentPart, EventId, ToolOutput } from '@palimpsest/events';

/** A text of the log in an answer. */
export interface Entry {
  readonly eventId: EventId;
  readonly text: string;
}

/** An answer before it is cut into pages. */
interface Answer {
  /** The answer in one line. */
  readonly heading: string;
  readonly entries: readonly Entry[];
  /** Shown with the first page. */
  readonly media?: readonly ContentPart[];
}

/** Returns one page of an answer. `details` say for programs which events it shows, and whether it is one of them page by page. */
export function pageOf({ heading, entries, media = [] }: Answer, page: number, characters: number): ToolOutput {
  const text = entries.map((entry) => entry.text).join('\n');
  const pages = pagesOf(text, characters);
  const shown = pages[page - 1];
  if (shown === undefined) {
    return refusal(
      'past_the_end',
      `There ${pages.length === 1 ? 'is only 1 page' : `are only ${pages.length} pages`}.`,
    );
  }
  const { start, end } = shown;
  const next = page < pages.length ? `; page ${page + 1} goes on` : '';
  const place = pages.length === 1 ? '' : ` Page ${page} of ${pages.length}, from line ${lineAt(text, start)}${next}.`;
  const details = {
    recalledEventIds: idsBetween(entries, start, end),
    page,
    pages: pages.length,
    characters,
    from: start,
    to: end,
  };
  return {
    content: [{ type: 'text', text: `${heading}${place}\n${shown.text}` }, ...(page === 1 ? media : [])],
    details,
  };
}

function idsBetween(entries: readonly Entry[], start: number, end: number): readonly EventId[] {
  const ids: EventId[] = [];
  let place = 0;
  for (const { eventId, text } of entries) {
    // An image has no text.
    if ((place < end || end === 0) && place + text.length >= start) ids.push(eventId);
    place += text.length + 1;
  }
  return ids;
}

/** Returns an answer without a text of the log. */
export function note(text: string): ToolOutput {
  return { content: text };
}

/** Returns a call that cannot be answered, with the reason in words for the model. */
export function refusal(code: string, reason: string): ToolOutput {
  return { content: `Rejected. Code: ${code}. ${reason}`, isError: true, details: { code, reason } };
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** One page of a text. */
interface Page {
  readonly text: string;
  /** The place of the page in the text. Unit: UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/**
 * Returns a text in pages of at most so many characters each, which together are the text. A page ends at the end of a line if one lies
 * in its second half, and never inside of a character. An empty text has one page.
 */
function pagesOf(text: string, maxCharacters: number): readonly Page[] {
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
 * Returns the length of a page: the tokens at four characters each, halved until the page fits beside its heading into what the host
 * shows of an output. Halving keeps the places where pages end nearly the same when the limit changes.
 */
export function pageCharacters(pageTokens: number, maxOutputCharacters = Infinity): number {
  let characters = pageTokens * charactersPerToken;
  while (characters > leastCharacters && characters + headingCharacters > maxOutputCharacters) {
    characters = Math.ceil(characters / 2);
  }
  return characters;
}
