import { linesOf, numbered, shownLine } from './text-file.js';

/** A hint shows so many lines of the file. */
const maxShownLines = 12;
const maxLineCharacters = 300;
/** Lines that stand in a file more often than this say nothing about where a text may be meant. */
const maxOccurrences = 20;

/**
 * Says why a text is not in a file. The usual mistakes are different white space, line numbers that were copied, and text from
 * before a change.
 */
export function explainMissing(text: string, shown: string, wanted: string): string {
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
  const part = lines.slice(line - 1, line - 1 + Math.min(count, maxShownLines));
  return numbered(
    part.map((each) => shownLine(each, maxLineCharacters)),
    line,
  );
}

/** The first place where the lines are the same but for white space. */
function whitespaceOnly(
  lines: readonly string[],
  wanted: string,
): { readonly line: number; readonly count: number } | undefined {
  const parts = linesOf(wanted).map(squeeze);
  if (parts.every((part) => part === '')) return undefined;
  const index = indexOfRun(lines, parts);
  return index === -1 ? undefined : { line: index + 1, count: parts.length };
}

/** Where a run of lines stands in others, in linear time: a file may repeat one line a million times. @see Knuth, Morris, Pratt (1977) */
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

/** Where most lines of the wanted text stand in their order. Each line of the file votes for the start that would fit it. */
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
