import { opendirSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { assertPositive } from '../errors.js';
import type { WorkspaceContext } from '../prompts/index.js';
import { ifThereSync, instructionFileNames } from './files.js';
import { gitFacts } from './git-facts.js';

/** Options of {@link workspaceContext}. */
export interface WorkspaceContextOptions {
  /** The present time. @defaultValue the system clock */
  readonly now?: () => Date;
  /** The time limit of git for each question. Unit: milliseconds. @defaultValue 2000 */
  readonly gitTimeoutMs?: number;
  /** The environment in which git is found. @defaultValue the process's environment */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/**
 * Returns the facts about a folder that a coding agent should know at the start: the platform, the day (UTC), the top of the file
 * tree, where folders below have instructions of their own, and from git the branch, what is changed, and the newest commits. All
 * of it is limited in length and time. Of a repository no program runs, whatever its configuration says, and a `.git` that leads to
 * another repository is not followed. Without git the rest is returned.
 *
 * Ask once for a session: what changes later, the model sees by its tools, and a context that changes is paid for again.
 *
 * @throws RangeError when `gitTimeoutMs` is not more than 0.
 * @throws what the file system throws when there is no such folder.
 */
export async function workspaceContext(
  folder: string,
  options: WorkspaceContextOptions = {},
): Promise<WorkspaceContext> {
  const { now = () => new Date(), gitTimeoutMs = 2_000, env = process.env, signal } = options;
  assertPositive('gitTimeoutMs', gitTimeoutMs);
  const workingDirectory = await realpath(folder);
  const tree = fileTree(workingDirectory);
  const git = await gitFacts(workingDirectory, { env, timeoutMs: gitTimeoutMs, signal });
  const root = git?.root ?? workingDirectory;
  return {
    repository: {
      name: path.basename(root),
      ...(root === workingDirectory ? {} : { directory: root }),
      ...(git?.branch === undefined ? {} : { branch: git.branch }),
      ...(git?.changes === undefined ? {} : { changes: git.changes }),
      ...(git?.commits === undefined ? {} : { commits: git.commits }),
      files: tree.lines,
      nestedInstructions: tree.nestedInstructions,
    },
    runtime: {
      workingDirectory,
      date: now().toISOString().slice(0, 10),
      platform: `${process.platform} ${process.arch}`,
    },
  };
}

/** The top of a folder. */
export interface FileTree {
  /** A line for each entry, folders with a slash at the end, two levels deep. */
  readonly lines: readonly string[];
  /** The instruction files of folders below, by their paths. */
  readonly nestedInstructions: readonly string[];
}

const maxLines = 80;
const maxLinesOfFolder = 12;
/** The most that is read of one folder and of all: a folder may hold millions of entries. */
const maxEntries = 1_000;
const maxFolders = 100;
const maxDepth = 4;
const maxNested = 20;
/** Folders that hold what others have written, or what was built. */
const notEntered = new Set([
  'node_modules',
  'vendor',
  'dist',
  'build',
  'out',
  'target',
  'coverage',
  '__pycache__',
  'venv',
]);
const nestedNames = new Set(
  instructionFileNames.filter((name) => !name.includes('/')).map((name) => name.toLowerCase()),
);

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Reads the top of a folder. Links are named and not followed. Reads at most 100 folders, and of each at most 1,000 entries. */
function fileTree(folder: string): FileTree {
  const nestedInstructions: string[] = [];
  const top: { readonly entry: Entry; children?: readonly Entry[]; isCut?: boolean }[] = [];
  let foldersRead = 0;
  let isTopCut = false;
  // Level by level, so that the limit leaves out what is deepest.
  let level: readonly { readonly relative: string; readonly depth: number; readonly parent?: (typeof top)[number] }[] =
    [{ relative: '', depth: 0 }];
  while (level.length > 0) {
    const below: (typeof level)[number][] = [];
    for (const { relative, depth, parent } of level) {
      if (foldersRead++ >= maxFolders) break;
      const { entries, isCut } = entriesOf(path.join(folder, relative));
      if (parent !== undefined && depth === 1) {
        parent.children = entries;
        parent.isCut = isCut;
      }
      if (depth === 0) isTopCut = isCut;
      for (const entry of entries) {
        const place = relative === '' ? entry.name : `${relative}/${entry.name}`;
        const node = { entry };
        if (depth === 0) top.push(node);
        if (depth > 0 && !entry.isFolder && nestedNames.has(entry.name.toLowerCase())) nestedInstructions.push(place);
        const isEntered = entry.isFolder && !entry.name.startsWith('.') && !notEntered.has(entry.name);
        if (isEntered && depth < maxDepth) below.push({ relative: place, depth: depth + 1, parent: node });
      }
    }
    level = below;
  }
  const shown = top.slice(0, maxLines);
  // What is at the top comes first; what is below shares the rest.
  const folders = shown.filter(({ children = [] }) => children.length > 0).length;
  const room = Math.min(maxLinesOfFolder, Math.floor((maxLines - shown.length) / Math.max(1, folders)) - 1);
  const lines = shown.flatMap(({ entry, children = [], isCut }) => {
    const some = children.slice(0, Math.max(0, room));
    const more = children.length - some.length;
    return [
      lineOf(entry),
      ...some.map((child) => `  ${lineOf(child)}`),
      ...(more > 0 && some.length > 0 ? [`  (${isCut === true ? 'at least ' : ''}${more} more)`] : []),
    ];
  });
  const more = top.length - shown.length;
  if (more > 0) lines.push(`(${isTopCut ? 'at least ' : ''}${more} more: list_files shows them)`);
  return { lines, nestedInstructions: nestedInstructions.slice(0, maxNested) };
}

/** Read at once: to wait for each folder and each entry takes three times as long, and what is read is limited. */
function entriesOf(folder: string): { readonly entries: readonly Entry[]; readonly isCut: boolean } {
  const entries: Entry[] = [];
  const directory = ifThereSync(() => opendirSync(folder, { bufferSize: 256 }));
  if (directory === undefined) return { entries, isCut: false };
  let isCut = false;
  try {
    for (let entry = directory.readSync(); entry !== null && !isCut; entry = directory.readSync()) {
      if (entry.name === '.git') continue;
      if (entries.length === maxEntries) isCut = true;
      else entries.push({ name: entry.name, isFolder: entry.isDirectory() });
    }
  } finally {
    directory.closeSync();
  }
  const rank = ({ isFolder }: Entry) => (isFolder ? 0 : 1);
  return { entries: entries.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1)), isCut };
}

/** Quotes a name that does not look like one, so that it does not read like a sentence. */
function lineOf({ name, isFolder }: Entry): string {
  const shown = /^[\w.@+~#()[\]-]+$/.test(name) ? name : JSON.stringify(name);
  return isFolder ? `${shown}/` : shown;
}
