import type { ContentPart, EventId, ToolOutput } from '@palimpsest/events';
import { pagesOf } from './pages.js';

/** A text of the log in an answer. */
export interface Entry {
  readonly eventId: EventId;
  readonly text: string;
}

/** An answer before it is cut into pages. */
export interface Answer {
  /** What it is, in one line. */
  readonly heading: string;
  readonly entries: readonly Entry[];
  /** Shown with the first page. */
  readonly media?: readonly ContentPart[];
}

/** One page of an answer. `details` say for programs which events it shows, and whether it is one of them page by page. */
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

/** An answer without a text of the log. */
export function note(text: string): ToolOutput {
  return { content: text };
}

/** A call that cannot be answered, with the reason in words for the model. */
export function refusal(code: string, reason: string): ToolOutput {
  return { content: `Rejected. Code: ${code}. ${reason}`, isError: true, details: { code, reason } };
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
