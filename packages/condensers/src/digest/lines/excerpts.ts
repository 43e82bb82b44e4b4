import { addressOf, estimateTextTokens } from '@palimpsest/events';
import { titleOfCall } from './call-title.js';
import { excerptHead, isOfFrame } from './digest.prompt.js';
import type { HiddenLine, Source } from './hidden-lines.js';
import { isSameFile } from './edits.js';
import { shortestKey } from './text-lines.js';

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
export function excerptsOf(lines: readonly HiddenLine[], maxTokens: number): readonly string[] {
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
    const text = (source.lines[line.index] as { readonly text: string }).text;
    let tokens = estimateTextTokens(text) + 1;
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
  const numberOf = ({ source, index }: HiddenLine): number => source.lines[index]?.number ?? Infinity;
  const isFile = newest.path !== undefined;
  lines.sort((a, b) => {
    const [one, other] = isFile ? [numberOf(a), numberOf(b)] : [0, 0];
    return (one === other ? 0 : one - other) || a.source.place - b.source.place || a.index - b.index;
  });
  let last: HiddenLine | undefined;
  for (const line of lines) {
    if (last !== undefined) out.push(...between(last, line));
    out.push(line.source.lines[line.index]?.text ?? '');
    last = line;
  }
  return out;
}

/** What stands between two chosen lines: short lines as they are, anything else as a mark. */
function between({ source, index }: HiddenLine, next: HiddenLine): readonly string[] {
  if (source !== next.source || next.index < index) return ['…'];
  const lines = source.lines.slice(index + 1, next.index);
  const isFilled =
    lines.length <= longestFill &&
    lines.every(({ key }) => key.length < shortestKey && !isOfFrame(key) && !source.isTaken(key));
  return isFilled ? lines.map(({ text }) => text) : ['…'];
}
