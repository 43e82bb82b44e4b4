import { addressOf, estimateTextTokens } from '@palimpsest/events';
import { titleOfCall } from './call-title.js';
import { excerptHead, isOfFrame } from './digest.prompt.js';
import type { HiddenLine, Source } from './hidden-lines.js';
import { isSameFile } from './edits.js';
import { inFileOrder } from './file-order.js';
import { shortestKey } from './text-lines.js';
import type { TextLine } from './text-lines.js';

/** So few short lines between two chosen ones stand instead of a mark. Unit: lines. */
const longestFill = 3;
/** Less room holds no further line. Unit: tokens. */
const leastRoom = 20;

/** The chosen lines of one file, or of one event. */
interface Group {
  /** The newest source that has a line in it. */
  newest: Source;
  readonly lines: HiddenLine[];
}

/**
 * Chooses lines until a room is full and returns them as excerpts: those of one file together, in the order of the file, below the call that
 * showed them last.
 *
 * @param lines - the best first
 * @param maxTokens - what the excerpts may take. Unit: estimated tokens
 */
export function excerptsOf(lines: Iterable<HiddenLine>, maxTokens: number): readonly string[] {
  const groups: Group[] = [];
  const byPath = new Map<string, Group[]>();
  const bySource = new Map<Source, Group>();
  const groupOf = (source: Source): Group | undefined => {
    const known = bySource.get(source);
    if (known !== undefined || source.path === undefined) return known;
    const group = byPath
      .get(fileName(source.path))
      ?.find(({ newest }) => isOneFile(newest.path ?? '', source.path ?? ''));
    if (group !== undefined) bySource.set(source, group);
    return group;
  };
  let left = maxTokens;
  for (const line of lines) {
    const { source } = line;
    const group = groupOf(source);
    let tokens = estimateTextTokens(textLineOf(line).text) + 1;
    if (group === undefined) tokens += estimateTextTokens(headOf(source)) + 2;
    if (tokens > left) {
      if (left < leastRoom) break;
      continue;
    }
    left -= tokens;
    if (group !== undefined) {
      group.lines.push(line);
      if (source.place > group.newest.place) group.newest = source;
      continue;
    }
    const made: Group = { newest: source, lines: [line] };
    groups.push(made);
    bySource.set(source, made);
    if (source.path === undefined) continue;
    const name = fileName(source.path);
    byPath.set(name, [...(byPath.get(name) ?? []), made]);
  }
  return groups.sort((a, b) => a.newest.place - b.newest.place).flatMap(excerptOf);
}

/** A name without a folder may be that of many files. */
function isOneFile(a: string, b: string): boolean {
  return a === b || (a.includes('/') && b.includes('/') && isSameFile(a, b));
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function headOf({ event, call }: Source): string {
  const title = call === undefined ? '' : titleOfCall(call);
  return excerptHead(title, addressOf(event.id));
}

function excerptOf({ newest, lines }: Group): readonly string[] {
  const out = [headOf(newest)];
  const chosen = new Map(lines.map((line) => [textLineOf(line), line]));
  const sources = [...new Set(lines.map(({ source }) => source))].sort((a, b) => a.place - b.place);
  let last: HiddenLine | undefined;
  for (const textLine of inFileOrder(sources.map((source) => source.lines))) {
    const line = chosen.get(textLine);
    if (line === undefined) continue;
    if (last !== undefined) out.push(...between(last, line));
    out.push(textLine.text);
    last = line;
  }
  return out;
}

function textLineOf({ source, index }: HiddenLine): TextLine {
  return source.lines[index] as TextLine;
}

/** What stands between two chosen lines: short lines as they are, anything else as a mark. */
function between(last: HiddenLine, next: HiddenLine): readonly string[] {
  const { source, index } = last;
  const behind = source.lines.slice(index + 1, index + longestFill + 2);
  const end = behind.findIndex(({ key }) => key === textLineOf(next).key);
  if (end !== -1) return filled(source, behind.slice(0, end));
  // The text of the next line may show both.
  const before = next.source.lines.slice(Math.max(0, next.index - longestFill - 1), next.index);
  const begin = before.findLastIndex(({ key }) => key === textLineOf(last).key);
  return begin === -1 ? ['…'] : filled(next.source, before.slice(begin + 1));
}

function filled({ isTaken }: Source, lines: readonly TextLine[]): readonly string[] {
  const isFilled = lines.every(
    ({ key, isGone }) => !isGone && key.length < shortestKey && !isOfFrame(key) && !isTaken(key),
  );
  return isFilled ? lines.map(({ text }) => text) : ['…'];
}
