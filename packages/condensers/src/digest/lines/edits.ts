import type { ActionEvent } from '@palimpsest/events';
import { argumentRoles, parseArguments, replacedTexts } from '../../authoring/calls/arguments.js';
import { remembered } from '../../authoring/calls/remembered.js';
import { writesAll } from '../facts/file-facts.js';
import { shortestKey } from './text-lines.js';

/** The change that a call makes to one place of a file. */
export interface FileEdit {
  readonly path: string;
  /** The lines that stand there afterwards, as they were written: of a patch those around the change too. */
  readonly put: readonly string[];
  /** The lines that it takes from the file, without the blanks around them. */
  readonly taken: ReadonlySet<string>;
  /** The texts that it replaces within lines: each line that holds one is taken. */
  readonly parts: readonly LinePart[];
  /** True if `put` is the whole file: each other line is taken. */
  readonly isWhole: boolean;
}

/** A text at the edge of a replacement, which may be a part of a line. */
export interface LinePart {
  readonly text: string;
  /** Where it stands in its line. A replacement of several lines begins with the end of one and ends with the beginning of another. */
  readonly at: 'anywhere' | 'end' | 'start';
}

/**
 * Returns what a call changes in files, as its arguments state it: replacements, patches, whole files, insertions. Empty for a call that
 * only reads, and for shell commands without a patch. Whether the call succeeded is in its result. A call is read once.
 */
export const editsOf: (action: ActionEvent) => readonly FileEdit[] = (action) => read(action, undefined);

const read = /* @__PURE__ */ remembered((action: ActionEvent, _: undefined): readonly FileEdit[] => {
  const { name, arguments: text } = action.toolCall;
  const call = parseArguments(text);
  const roles = argumentRoles(call);
  if (roles.patch !== undefined) return editsOfPatch(roles.patch);
  const [path] = roles.paths;
  if (path === undefined || roles.command !== undefined) return [];
  const { old, fresh, content } = replacedTexts(call);
  if (old.length > 1 && old.length === fresh.length)
    return old.map((text, index) => replacement(path, [text], [fresh[index] ?? '']));
  if (old.length > 0) return [replacement(path, old, fresh)];
  const put = linesOf([...fresh, ...content]);
  return put.length === 0 ? [] : [fileEdit(path, put, [], writesAll({ toolName: name, roles }))];
});

function replacement(path: string, old: readonly string[], fresh: readonly string[]): FileEdit {
  return { ...fileEdit(path, linesOf(fresh), linesOf(old)), parts: old.flatMap(partsOf) };
}

function partsOf(old: string): readonly LinePart[] {
  const lines = old.split('\n').map((line) => line.trim());
  const [first = '', last = ''] = [lines[0], lines.at(-1)];
  // An editor replaces a text that stands once in its file, so no other line holds it.
  if (lines.length === 1) return first === '' ? [] : [{ text: first, at: 'anywhere' }];
  const parts: LinePart[] = [
    { text: first, at: 'end' },
    { text: last, at: 'start' },
  ];
  return parts.filter(({ text }) => text.length >= shortestKey);
}

function linesOf(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.split('\n'));
}

function fileEdit(path: string, put: readonly string[], old: readonly string[], isWhole = false): FileEdit {
  const stays = new Set(put.map((line) => line.trim()));
  const taken = new Set(old.map((line) => line.trim()).filter((key) => key !== '' && !stays.has(key)));
  return { path, put, taken, parts: [], isWhole };
}

const fileOfMarkedPatch = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)/;

const markedPatch = /^\*\*\* (?:Add|Update|Delete) File: /m;

/** Reads the `*** Begin Patch` format and unified diffs. Each hunk is an edit. */
function editsOfPatch(patch: string): readonly FileEdit[] {
  const edits: FileEdit[] = [];
  let [path, put, old]: [string | undefined, string[], string[]] = [undefined, [], []];
  let isWhole = false;
  const begin = (next: string | undefined, nextIsWhole = false): void => {
    if (path !== undefined && (put.length > 0 || old.length > 0 || isWhole))
      edits.push(fileEdit(path, put, old, isWhole));
    [path, put, old, isWhole] = [next, [], [], nextIsWhole];
  };
  // A removed line can look like a header of the other format: `--- a comment`.
  const isMarked = markedPatch.test(patch);
  for (const raw of patch.split('\n')) {
    const line = raw.trimEnd();
    const [, word, marked = ''] = fileOfMarkedPatch.exec(line) ?? [];
    if (word !== undefined) begin(marked.trim(), word === 'Add File' || word === 'Delete File');
    else if (!isMarked && line.startsWith('--- ')) begin(diffPath(line));
    else if (!isMarked && line.startsWith('+++ ')) path = diffPath(line) ?? path;
    else if (line.startsWith('@@')) begin(path);
    else if (line.startsWith('+')) put.push(line.slice(1));
    else if (line.startsWith('-')) old.push(line.slice(1));
    else if (raw.startsWith(' ')) put.push(line.slice(1));
  }
  begin(undefined);
  return edits;
}

/** The path in a header of a unified diff; undefined for `/dev/null`. */
function diffPath(line: string): string | undefined {
  const path = line.slice(4).split('\t', 1)[0]?.trim();
  return path === undefined || path === '/dev/null' ? undefined : path.replace(/^[ab]\//, '');
}

/** Returns true if two spellings can be those of one file: one ends with the other. */
export function isSameFile(a: string, b: string): boolean {
  const [one, other] = [plain(a), plain(b)];
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}

function plain(path: string): string {
  return path.replace(/^(?:\.?\/)+/, '');
}
