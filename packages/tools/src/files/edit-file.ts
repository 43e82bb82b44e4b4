import { defineTool } from '@palimpsest/events';
import type { Tool } from '@palimpsest/events';
import { z } from 'zod';
import { changeFile } from './change.js';
import type { FileChangeOptions } from './change.js';
import { fileEditType } from '../changes/file-history.js';
import { hasCrlf, linesOf, maxWholeBytes, numbered, shownLine, textOf } from '../workspace/text.js';
import type { Workspace } from '../workspace/workspace.js';
import { otherNames } from './write-file.js';

const contextLines = 3;
/** The result shows so many lines at most. */
const maxShownLines = 60;
const maxLineCharacters = 500;
/** An edit makes no longer file: many short places and a long text make a very long one. */
const maxEditedCharacters = 100_000_000;
/** So many places are named. */
const maxNamedPlaces = 10;

/** The input of `edit_file`. */
export const editInput = z.object({
  path: z.string().min(1).describe('The file, relative to the root of the workspace.'),
  old_text: z
    .string()
    .min(1)
    .describe('The exact text to replace, whitespace included, without line numbers. It must stand in the file once.'),
  new_text: z.string().describe('What stands in its place.'),
  replace_all: z
    .boolean()
    .default(false)
    .describe('Replace every occurrence; old_text may then stand there many times.'),
});

/** Returns the tool `edit_file`. The line breaks (LF or CRLF), a byte order mark and the mode of the file are kept. */
export function editFileTool(
  workspace: Workspace,
  options: FileChangeOptions = {},
): Tool<Omit<z.infer<typeof editInput>, 'replace_all'> & { readonly replace_all?: boolean }> {
  return defineTool({
    name: 'edit_file',
    description: 'Replace a piece of a text file. The old text must be exact and stand in the file exactly once.',
    input: editInput,
    ...(options.history === undefined ? {} : { eventTypes: [fileEditType] }),
    execute: async ({ path, old_text, replace_all, ...rest }, context) => {
      // Half of a character is written as U+FFFD, and shown so.
      const new_text = rest.new_text.toWellFormed();
      if (old_text === new_text) throw new Error('old_text and new_text are the same: nothing would change.');
      const { before, place, change } = await changeFile(
        workspace,
        path,
        context,
        { ...options, create: false, maxBytes: maxWholeBytes },
        (found, { shown }) =>
          applyEdit(found === undefined ? '' : textOf(found.content, shown), {
            shown,
            oldText: old_text,
            newText: new_text,
            all: replace_all,
          }),
      );
      const { content: text, places, addedCharacters } = change;
      const [first = 0] = places;
      const line = lineAt(text, first);
      const heading =
        places.length > 1
          ? `Edited ${place.shown} in ${places.length} places. Around the first it`
          : `Edited ${place.shown}. It`;
      const notes = before !== undefined && before.status.nlink > 1 ? `\n${otherNames(before.status.nlink - 1)}` : '';
      return {
        content: `${heading} now reads:\n${excerpt(text, line, lineAt(text, first + addedCharacters))}${notes}`,
        details: {
          path,
          line,
          removedCharacters: old_text.length,
          addedCharacters: new_text.length,
          ...(replace_all ? { replaced: places.length } : {}),
        },
      };
    },
  });
}

interface Edit {
  readonly content: string;
  /** The places at which each new text begins, in the new text of the file. */
  readonly places: readonly number[];
  readonly addedCharacters: number;
}

/** @throws Error with what the model reads, when the edit cannot be made. */
export function applyEdit(
  text: string,
  {
    shown,
    ...request
  }: { readonly shown: string; readonly oldText: string; readonly newText: string; readonly all: boolean },
): Edit {
  // A model writes LF; in a file of CRLF lines it means these.
  const isCrlf = hasCrlf(text) && !request.oldText.includes('\r');
  const fitted = (part: string) => (isCrlf ? part.replace(/\r?\n/g, '\r\n') : part);
  const [oldText, newText] = [fitted(request.oldText), fitted(request.newText)];
  const { places, count } = placesOf(text, oldText, request.all);
  if (count === 0) throw new Error(explainMissing(text, shown, request.oldText));
  if (count > 1 && !request.all) {
    const lines = places.map((offset) => lineAt(text, offset)).join(', ');
    const more = count > places.length ? ` and ${count - places.length} more` : '';
    throw new Error(
      `old_text stands in '${shown}' ${count} times, at lines ${lines}${more}. Add lines around it until it is the only one, or set replace_all.`,
    );
  }
  const growth = newText.length - oldText.length;
  const length = text.length + places.length * growth;
  if (length > maxEditedCharacters) {
    throw new Error(`'${shown}' would have ${length} characters; at most ${maxEditedCharacters} are written.`);
  }
  return {
    content: request.all
      ? text.split(oldText).join(newText)
      : text.slice(0, places[0]) + newText + text.slice((places[0] ?? 0) + oldText.length),
    places: places.map((offset, index) => offset + index * growth),
    addedCharacters: newText.length,
  };
}

/** All places of a part; without `all` those that overlap count too, and only some are named. */
function placesOf(
  text: string,
  part: string,
  all: boolean,
): { readonly places: readonly number[]; readonly count: number } {
  const places: number[] = [];
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + (all ? part.length : 1))) {
    count += 1;
    if (all || count <= maxNamedPlaces) places.push(at);
  }
  return { places, count };
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Returns the lines of an edit and those around it; of a long edit its beginning and its end. */
function excerpt(text: string, first: number, last: number): string {
  const lines = linesOf(text);
  const from = Math.max(1, first - contextLines);
  const to = Math.min(lines.length, last + contextLines);
  const part = (start: number, end: number) =>
    numbered(
      lines.slice(start - 1, end).map((line) => shownLine(line, maxLineCharacters)),
      start,
    );
  if (lines.length === 0) return '[the file is empty]';
  if (to - from < maxShownLines) return part(from, to);
  const half = maxShownLines / 2;
  return `${part(from, from + half - 1)}\n[… ${to - from + 1 - maxShownLines} lines]\n${part(to - half + 1, to)}`;
}

/** A hint shows so many lines of the file. */
const maxHintLines = 12;
const maxHintCharacters = 300;
/** Lines that stand in a file more often than this say nothing about where a text may be meant. */
const maxOccurrences = 20;

/**
 * Returns the reason why a text is not in a file. The usual mistakes are different white space, line numbers that were
 * copied, and text from before a change.
 */
function explainMissing(text: string, shown: string, wanted: string): string {
  const lines = linesOf(text);
  const squeezed = lines.map(squeeze);
  const whole = whitespaceOnly(squeezed, wanted);
  if (whole !== undefined) {
    const place = whole.count === 1 ? `line ${whole.line}` : `lines ${whole.line} to ${whole.line + whole.count - 1}`;
    const verb = whole.count === 1 ? 'differs' : 'differ';
    const breaks =
      text.includes('\r\n') && !wanted.includes('\r') ? ' Some lines of the file end in CRLF: write \\r\\n there.' : '';
    return `old_text is not in '${shown}', but ${place} ${verb} from it in whitespace only.${breaks} Copy them exactly:\n${shownLines(lines, whole.line, whole.count)}`;
  }
  const unnumbered = wanted.replace(/^ *\d+\t/gm, '');
  if (unnumbered !== wanted && (text.includes(unnumbered) || whitespaceOnly(squeezed, unnumbered) !== undefined)) {
    return `old_text is not in '${shown}': it has the line numbers of read_file in front of its lines. Leave out each number and the tab after it.`;
  }
  const similar = mostSimilar(squeezed, linesOf(wanted).map(squeeze));
  if (similar === undefined) return `old_text is not in '${shown}'. Read the file again before you edit it.`;
  return `old_text is not in '${shown}'. ${similar.reason} The file reads there:\n${shownLines(lines, similar.line, similar.count)}`;
}

const squeeze = (line: string) => line.replace(/\s+/g, ' ').trim();

function shownLines(lines: readonly string[], line: number, count: number): string {
  const part = lines.slice(line - 1, line - 1 + Math.min(count, maxHintLines));
  return numbered(
    part.map((each) => shownLine(each, maxHintCharacters)),
    line,
  );
}

/** Returns the first place where the lines are the same but for white space. */
function whitespaceOnly(
  lines: readonly string[],
  wanted: string,
): { readonly line: number; readonly count: number } | undefined {
  const parts = linesOf(wanted).map(squeeze);
  if (parts.every((part) => part === '')) return undefined;
  const index = indexOfRun(lines, parts);
  return index === -1 ? undefined : { line: index + 1, count: parts.length };
}

/** Finds a run of lines in others, in linear time: a file may repeat one line a million times. @see Knuth, Morris, Pratt (1977) */
function indexOfRun(lines: readonly string[], run: readonly string[]): number {
  const fallback = [0];
  for (let index = 1, length = 0; index < run.length; index++) {
    while (length > 0 && run[index] !== run[length]) length = fallback[length - 1] ?? 0;
    if (run[index] === run[length]) length += 1;
    fallback.push(length);
  }
  for (let index = 0, length = 0; index < lines.length; index++) {
    while (length > 0 && lines[index] !== run[length]) length = fallback[length - 1] ?? 0;
    if (lines[index] === run[length]) length += 1;
    if (length === run.length) return index - length + 1;
  }
  return -1;
}

/** Finds the place where most lines of the wanted text stand in their order. Each line of the file votes for the start that would fit it. */
function mostSimilar(
  lines: readonly string[],
  wanted: readonly string[],
): { readonly line: number; readonly count: number; readonly reason: string } | undefined {
  const places = new Map<string, number[]>();
  wanted.forEach((line, index) => {
    if (line.length > 2) places.set(line, [...(places.get(line) ?? []), index].slice(0, maxOccurrences));
  });
  const seen = new Map<string, number>();
  const votes = new Map<number, number>();
  lines.forEach((line, index) => {
    const times = (seen.get(line) ?? 0) + 1;
    if (!places.has(line) || times > maxOccurrences) return;
    seen.set(line, times);
    for (const place of places.get(line) ?? []) votes.set(index - place, (votes.get(index - place) ?? 0) + 1);
  });
  let best: number | undefined;
  for (const [start, count] of votes) if (best === undefined || count > (votes.get(best) ?? 0)) best = start;
  if (best === undefined) return undefined;
  const line = Math.max(1, best + 1);
  const first = wanted.findIndex((part) => part !== '');
  const reason =
    lines[best + first] === wanted[first]
      ? `Its first line stands at line ${best + first + 1}, but what follows is different.`
      : `${votes.get(best)} of its ${wanted.length} lines stand near line ${line}, but others are different.`;
  return { line, count: wanted.length, reason };
}
