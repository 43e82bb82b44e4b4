import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { messageOf } from '../harness-error.js';
import { logReadError } from './errors.js';
import { opencodeParts } from './opencode/session-folder.js';
import { parseSessionAddress } from './opencode/session-address.js';

/** A file that may be a log. */
export interface LogFile {
  readonly file: string;
  /** The path relative to the given folder. For a given file, its name. */
  readonly name: string;
  /** Why the file is skipped, if no agent wrote it. */
  readonly notALog?: string;
}

const notLogs = /^(?:readme|licen[cs]e|notice|changelog|adp-readme-license)(?:[.-].*)?$|^manifest\.json$/i;

/**
 * The files at a path: the file itself, or all files of the folder and its subfolders, sorted by name. Links to folders are
 * not followed. Of the folders of opencode, in which a session has many files, only the file that begins a session is listed.
 *
 * @throws {@link HarnessError} `log-read` when the path does not exist, is a pipe or a device, or a folder cannot be listed.
 */
export async function logFiles(
  path: string,
): Promise<{ readonly isFolder: boolean; readonly files: readonly LogFile[] }> {
  try {
    const status = await statusOf(path);
    // A read of a pipe or a device may never end.
    if (!status.isDirectory() && !status.isFile()) throw new Error('it is no regular file');
    if (!status.isDirectory()) return { isFolder: false, files: [{ file: path, name: basename(path) }] };
    const files: LogFile[] = [];
    for await (const entry of entriesBelow(path)) {
      const file = join(entry.parentPath, entry.name);
      files.push(logFile(path, file, entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(file)))));
    }
    return { isFolder: true, files: files.sort((one, other) => byCodePoint(one.file, other.file)) };
  } catch (error) {
    throw logReadError({
      file: path,
      reason: messageOf(error),
      cause: error,
    });
  }
}

/** The status of a file, or of the database in the address of a session. */
async function statusOf(path: string): Promise<Stats> {
  const address = parseSessionAddress(path);
  try {
    return await stat(path);
  } catch (error) {
    if (address === undefined) throw error;
    return stat(address.database);
  }
}

/** All entries below a folder except folders. From Node 26 on, `recursive` follows links to folders, even in a cycle. */
async function* entriesBelow(folder: string): AsyncGenerator<Dirent> {
  for (const entry of opencodeParts(await readdir(folder, { withFileTypes: true }))) {
    if (entry.isDirectory()) yield* entriesBelow(join(folder, entry.name));
    else yield entry;
  }
}

async function leadsToFile(link: string): Promise<boolean> {
  try {
    return (await stat(link)).isFile();
  } catch {
    return false;
  }
}

function logFile(folder: string, file: string, isFile: boolean): LogFile {
  const name = relative(folder, file).replaceAll('\\', '/');
  // A read of a pipe or a socket may never end.
  if (!isFile) return { file, name, notALog: 'it is no regular file' };
  if (notLogs.test(basename(file))) return { file, name, notALog: 'it goes with the logs and is none' };
  if (basename(file).startsWith('.')) return { file, name, notALog: 'it is hidden' };
  return { file, name };
}

/** Compares without a locale, so the order is the same on every machine. */
function byCodePoint(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
