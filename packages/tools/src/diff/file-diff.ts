import type { ActionEvent, Event, EventLog } from '@palimpsest/events';
import { structuredPatch } from 'diff';
import { fileEdits } from '../changes/file-history.js';
import type { FileHistory } from '../changes/file-history.js';
import { textAfter } from '../files/preview.js';

/** A line of a diff. */
export interface DiffLine {
  /** `gap`: lines that are not shown; `text` says how many. */
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  /** Without its line break. Untrusted. */
  readonly text: string;
  /** The line's number: in the new file, and for a removed line in the old one. Absent for a gap. */
  readonly line?: number;
}

/** A change of a file, line by line. */
export interface FileDiff {
  /** As the call names it. */
  readonly path: string;
  readonly isNew: boolean;
  /** Unit: lines. */
  readonly added: number;
  /** Unit: lines. */
  readonly removed: number;
  readonly lines: readonly DiffLine[];
}

/** Lines that stay around those that change. */
const contextLines = 3;
/** More lines are not shown. */
const maxLines = 400;
/** Texts that differ by more are not compared, which takes long: they are counted. Unit: lines. */
const maxChanges = 2_000;

/** Returns the diff of two texts, in which line breaks of both kinds are the same. `before` is undefined for a new file. */
export function fileDiff(path: string, before: string | undefined, after: string): FileDiff {
  if (before === undefined) {
    const lines = linesOf(after).map((text, index) => ({ kind: 'added', text, line: index + 1 }) as const);
    return { path, isNew: true, added: lines.length, removed: 0, lines: limited(lines) };
  }
  const options = { context: contextLines, stripTrailingCr: true, maxEditLength: maxChanges };
  const patch = structuredPatch('', '', before, after, '', '', options);
  if (patch === undefined) {
    const [removed, added] = [linesOf(before).length, linesOf(after).length];
    return {
      path,
      isNew: false,
      added,
      removed,
      lines: [gap(`${removed} lines become ${added}: too many to compare`)],
    };
  }
  const lines: DiffLine[] = [];
  let shownTo = 0;
  let [added, removed] = [0, 0];
  for (const { oldStart, newStart, lines: hunk } of patch.hunks) {
    if (newStart - 1 > shownTo) lines.push(gap(`${count(newStart - 1 - shownTo)}`));
    let [oldLine, newLine] = [oldStart, newStart];
    for (const line of hunk) {
      const [sign, text] = [line[0], line.slice(1)];
      if (sign === '+') lines.push({ kind: 'added', text, line: newLine++ });
      else if (sign === '-') lines.push({ kind: 'removed', text, line: oldLine++ });
      else if (sign === ' ') {
        lines.push({ kind: 'same', text, line: newLine++ });
        oldLine++;
      } else lines.push(gap('no line break at the end'));
      added += sign === '+' ? 1 : 0;
      removed += sign === '-' ? 1 : 0;
    }
    shownTo = newLine - 1;
  }
  if (lines.length === 0 && before !== after) lines.push(gap('only line breaks change'));
  return { path, isNew: false, added, removed, lines: limited(lines) };
}

function limited(lines: readonly DiffLine[]): readonly DiffLine[] {
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines), gap(`${count(lines.length - maxLines)} more of this diff`)];
}

function gap(text: string): DiffLine {
  return { kind: 'gap', text };
}

function count(lines: number): string {
  return `${lines} ${lines === 1 ? 'line' : 'lines'}`;
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** The records of a change: what a call did, and what was in the file before. */
export interface ChangeRecords {
  readonly events: EventLog;
  readonly history: FileHistory;
}

/**
 * Returns the change of a file that a call made, whatever happened to the file since. Undefined if the call changed no
 * file, or no text.
 */
export async function appliedDiff(actionId: string, { events, history }: ChangeRecords): Promise<FileDiff | undefined> {
  const action = events.get(actionId);
  if (action?.type !== 'action') return undefined;
  const [edit] = fileEdits(eventsSince(action, events)).filter((each) => each.actionId === actionId);
  if (edit === undefined) return undefined;
  const { before: state, path } = edit;
  const before = state === null ? undefined : await textIn(history, state.digest);
  if (state !== null && before === undefined) return undefined;
  const after = textAfter({ toolName: action.toolCall.name, input: inputOf(action) }, before);
  return after === undefined ? undefined : fileDiff(path, before, after);
}

/** From the newest back: mostly the call is one of the last. */
function eventsSince(action: Event, events: EventLog): readonly Event[] {
  let from = events.length;
  while (from > 0 && events.at(from - 1)?.id !== action.id) from--;
  return events.slice(from);
}

/** Undefined if the content was lost, or is no text. */
async function textIn(history: FileHistory, digest: string): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await history.content(digest));
  } catch {
    return undefined;
  }
}

function inputOf({ toolCall }: ActionEvent): unknown {
  try {
    return JSON.parse(toolCall.arguments) as unknown;
  } catch {
    return undefined;
  }
}
