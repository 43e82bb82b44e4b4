import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Ignore } from 'ignore';
import { openFolder, kindOf, openAt, withoutPlace } from './open-file.js';
import type { OpenFolder } from './open-file.js';
import { wholeContent } from './text.js';
import { shownBytes, shownName } from './problems.js';
import type { Workspace } from './workspace.js';

/** Folders lie no deeper than this, whatever is asked for. */
const maxLevels = 64;
const maxIgnoreBytes = 1_000_000;
/** After so many entries other work gets its turn. */
const entriesInOneGo = 64;

/** A file or folder below a folder. */
export interface WalkEntry {
  /** Relative to the root of the workspace, with forward slashes. Undefined if the name is not UTF-8: nothing can open it by name. */
  readonly path: string | undefined;
  /** The path in a form that stands on one line. */
  readonly shown: string;
  readonly kind: 'file' | 'folder' | 'other';
  /** The kind of an entry that is `other`: a link, a FIFO, a socket, a device. */
  readonly otherKind?: string;
  /** 1 for entries of the folder itself. */
  readonly depth: number;
  /** The path by which the file system finds it. Valid until the next entry is asked for. */
  readonly place: string;
}

/** Options of {@link walk}. */
export interface WalkOptions {
  /** The number of levels of folders that are entered. @defaultValue 64, which is the most */
  readonly maxDepth?: number;
  /** Ends it: the next entry is not found any more, and the reason is thrown. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the entries below a folder, in the order of their names, each folder before what is in it. Links are not followed.
 * Entries that the `.gitignore` files of the workspace ignore are left out, and so are `.git`, `node_modules`, `dist` and `coverage`,
 * unless the folder is ignored itself: then it was asked for by its name.
 *
 * @param real - the folder, absolute and without links
 */
export async function* walk(workspace: Workspace, real: string, options: WalkOptions = {}): AsyncGenerator<WalkEntry> {
  const { maxDepth = maxLevels, signal } = options;
  const top = await openFolder(workspace, real).catch((error: unknown) => {
    throw withoutPlace(error, shownName(workspace.show(real)));
  });
  try {
    const rules = await rulesAbove(workspace, real);
    yield* below(workspace, top, rules, { depth: 1, maxDepth: Math.min(maxDepth, maxLevels), signal });
  } finally {
    await top.close();
  }
}

async function* below(
  workspace: Workspace,
  folder: OpenFolder,
  above: IgnoreRules | undefined,
  at: { readonly depth: number; readonly maxDepth: number; readonly signal: AbortSignal | undefined },
): AsyncGenerator<WalkEntry> {
  const { depth, maxDepth, signal } = at;
  const rules = above === undefined ? undefined : await rulesOf(workspace, folder, above);
  const entries = await entriesOf(folder);
  for (const [index, entry] of entries.entries()) {
    if (index % entriesInOneGo === 0) await new Promise(setImmediate);
    signal?.throwIfAborted();
    const found = walkEntry(workspace, folder, entry, depth);
    const isFolder = found.kind === 'folder';
    if (rules !== undefined && found.path !== undefined && isIgnored(rules, found.path, isFolder)) continue;
    yield found;
    if (!isFolder || found.path === undefined || depth >= maxDepth) continue;
    const inner = await openFolder(workspace, path.join(folder.real, entry.name.toString()), found.place).catch(
      () => undefined,
    );
    // A folder that cannot be opened is named, and nothing in it is.
    if (inner === undefined) continue;
    try {
      yield* below(workspace, inner, rules, { depth: depth + 1, maxDepth, signal });
    } finally {
      await inner.close();
    }
  }
}

async function entriesOf(folder: OpenFolder): Promise<readonly Dirent<Buffer>[]> {
  // A folder that cannot be read is named, and nothing in it is.
  const entries = await readdir(folder.self, { withFileTypes: true, encoding: 'buffer' }).catch(() => []);
  return entries.sort((left, right) => Buffer.compare(left.name, right.name));
}

function walkEntry(workspace: Workspace, folder: OpenFolder, entry: Dirent<Buffer>, depth: number): WalkEntry {
  const kind = entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'other';
  const otherKind = kind === 'other' ? { otherKind: kindOf(entry) } : {};
  const name = entry.name.toString();
  const isUtf8 = Buffer.from(name).equals(entry.name);
  const relative = workspace.show(path.join(folder.real, name));
  const parent = workspace.show(folder.real);
  const shown = isUtf8
    ? shownName(relative)
    : `${parent === '.' ? '' : `${shownName(parent)}/`}${shownBytes(entry.name)}`;
  return { path: isUtf8 ? relative : undefined, shown, kind, ...otherKind, depth, place: folder.place(name) };
}

/** Returns the rules that apply in a folder, without its own. Undefined if they ignore the folder itself. */
async function rulesAbove(workspace: Workspace, real: string): Promise<IgnoreRules | undefined> {
  let rules = await rootRules();
  if (real === workspace.root) return rules;
  const parts = path.relative(workspace.root, real).split(path.sep);
  for (let level = 0; level < parts.length; level++) {
    const folder = await openFolder(workspace, path.join(workspace.root, ...parts.slice(0, level)));
    try {
      rules = await rulesOf(workspace, folder, rules);
    } finally {
      await folder.close();
    }
    if (isIgnored(rules, parts.slice(0, level + 1).join('/'), true)) return undefined;
  }
  return rules;
}

/** Returns the rules with those of the folder's own `.gitignore`, if it has one that can be read. */
async function rulesOf(workspace: Workspace, folder: OpenFolder, above: IgnoreRules): Promise<IgnoreRules> {
  const shown = workspace.show(folder.real);
  const path = '.gitignore';
  const file = await openAt({ folder, name: path, path, shown: path, createdFolders: [] }).catch(() => undefined);
  if (file === undefined) return above;
  try {
    const text = await wholeContent(file, path, maxIgnoreBytes);
    return await withRules(above, shown === '.' ? '' : shown, text.toString());
  } catch {
    return above;
  } finally {
    await file.handle.close();
  }
}

/** Generated and installed files, which the rules of a workspace may take back in. */
const ownRules = ['.git', 'node_modules', 'dist', 'coverage', '.palimpsest-*.tmp'];

/** Rules beyond this are not read. Unit: characters. */
const maxCharacters = 100_000;
/** A rule is turned into a regular expression, whose time grows with a power of its wildcards. */
const maxWildcards = 4;

/** The rules of one `.gitignore`, for paths below its folder. */
export interface IgnoreRules {
  /** The rules of the folder above, which are asked where these say nothing. */
  readonly above: IgnoreRules | undefined;
  /** The folder, relative to the root of the workspace; empty for the root. */
  readonly folder: string;
  readonly rules: Ignore;
}

/** Returns the rules that apply without any `.gitignore`. */
async function rootRules(): Promise<IgnoreRules> {
  return { above: undefined, folder: '', rules: await newRules(ownRules) };
}

/**
 * Returns the rules with those of a `.gitignore` added, which win over the ones above. A rule with more than four wildcards is
 * left out: a repository could stop the program with it.
 */
async function withRules(above: IgnoreRules, folder: string, text: string): Promise<IgnoreRules> {
  const lines = text.slice(0, maxCharacters).split(/\r?\n/);
  const usable = lines.filter((line) => (line.match(/\*+|\?/g)?.length ?? 0) <= maxWildcards);
  return { above, folder, rules: await newRules(usable) };
}

/** Loads the library at its first use: an agent starts before it lists a folder. */
async function newRules(lines: readonly string[]): Promise<Ignore> {
  const { default: ignore } = await import('ignore');
  return ignore({ ignoreCase: false, allowRelativePaths: true }).add([...lines]);
}

/** Returns true if a path is ignored. The folders above it are not: nobody asks below an ignored folder. */
function isIgnored(rules: IgnoreRules, relativePath: string, isFolder: boolean): boolean {
  for (let each: IgnoreRules | undefined = rules; each !== undefined; each = each.above) {
    const path = each.folder === '' ? relativePath : relativePath.slice(each.folder.length + 1);
    const { ignored, unignored } = each.rules.test(isFolder ? `${path}/` : path);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}
