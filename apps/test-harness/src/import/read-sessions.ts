import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { PalimpsestError } from '@palimpsest/events';
import { logReadError, messageOf } from '../harness-error.js';
import { openLog } from './file-log.js';
import { parseSessionAddress } from './opencode-database.js';
import { opencodeParts } from './log/opencode-session.js';
import { openHandsParts } from './log/openhands-folder.js';
import type { Session, SkippedFile } from './log/session.js';
import { sessionsInLog } from './sessions-in-log.js';

/** Options of {@link readSessions}. */
export interface ReadSessionsOptions {
  /** Called before each file is read, with the position of the file, so that a program can show progress. */
  readonly onFile?: (file: { readonly file: string; readonly index: number; readonly count: number }) => void;
  readonly signal?: AbortSignal;
}

/** The sessions of a file or folder. Can be iterated once. */
export interface SessionReader extends AsyncIterable<Session> {
  /** The files without a session, with the reason. Complete after the iteration. */
  readonly skipped: readonly SkippedFile[];
}

/**
 * Reads recorded sessions from a file, or from all files of a folder and its subfolders, sorted by name. The content of a
 * file determines its format. A file is read during the iteration; at most two sessions are in memory.
 *
 * In a folder, a file that cannot be read is added to `skipped` with the reason, and the next file is read. A path that names
 * a file throws.
 *
 * @throws {@link HarnessError} `unknown-log-format` when the named file has no known format; names the known formats.
 * @throws {@link HarnessError} `log-read` when a file cannot be read, or is a Palimpsest log with a broken line; names file and line.
 */
export function readSessions(path: string, options: ReadSessionsOptions = {}): SessionReader {
  const skipped: SkippedFile[] = [];
  return { skipped, [Symbol.asyncIterator]: () => read(path, options, skipped) };
}

async function* read(path: string, options: ReadSessionsOptions, skipped: SkippedFile[]): AsyncGenerator<Session> {
  const { isFolder, files } = await logFiles(path);
  for (const [index, logFile] of files.entries()) {
    options.signal?.throwIfAborted();
    if (logFile.notALog !== undefined) {
      skipped.push({ file: logFile.file, reason: logFile.notALog, notes: [] });
      continue;
    }
    options.onFile?.({ file: logFile.file, index, count: files.length });
    try {
      const { file, name } = logFile;
      yield* sessionsInLog(await openLog(file, { name, signal: options.signal }), skipped);
    } catch (error) {
      if (!isFolder || !PalimpsestError.isInstance(error)) throw error;
      skipped.push({ file: logFile.file, reason: error.message, error, notes: [] });
    }
  }
}

/** A file that may be a log. */
export interface LogFile {
  readonly file: string;
  /** The path relative to the given folder. For a given file, its name. */
  readonly name: string;
  /** The reason why the file is skipped, if no agent wrote it. */
  readonly notALog?: string;
}

const notLogs = /^(?:readme|licen[cs]e|notice|changelog|adp-readme-license)(?:[.-].*)?$|^manifest\.json$/i;

/**
 * Returns the files at a path: the file itself, or all files of the folder and its subfolders, sorted by name. Links to
 * folders are not followed. Of the folders of opencode and OpenHands, in which a session has many files, only the file that
 * begins a session is listed.
 *
 * @throws {@link HarnessError} `log-read` when the path does not exist, is a pipe or a device, or a folder cannot be listed.
 */
export async function logFiles(
  path: string,
): Promise<{ readonly isFolder: boolean; readonly files: readonly LogFile[] }> {
  try {
    const status = await statusOf(path);
    // A read of a pipe or a device may never end.
    if (!status.isDirectory() && !status.isFile()) throw new Error('it is not a regular file');
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

/** Returns the status of a file, or of the database in the address of a session. */
async function statusOf(path: string): Promise<Stats> {
  const address = parseSessionAddress(path);
  try {
    return await stat(path);
  } catch (error) {
    if (address === undefined) throw error;
    return stat(address.database);
  }
}

/** Yields all entries below a folder except folders. From Node 26 on, `recursive` follows links to folders, even in a cycle. */
async function* entriesBelow(folder: string): AsyncGenerator<Dirent> {
  for (const entry of openHandsParts(opencodeParts(await readdir(folder, { withFileTypes: true })))) {
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
  if (!isFile) return { file, name, notALog: 'it is not a regular file' };
  if (notLogs.test(basename(file))) return { file, name, notALog: 'it goes with the logs and is none' };
  if (basename(file).startsWith('.')) return { file, name, notALog: 'it is hidden' };
  return { file, name };
}

/** Compares without a locale, so the order is the same on every machine. */
function byCodePoint(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
