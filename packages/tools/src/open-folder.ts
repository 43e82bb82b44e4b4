import { constants } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { PathChangedError } from './errors.js';
import { codeOf } from './file-problem.js';
import type { Workspace } from './workspace.js';

/**
 * A folder that is held open. On Linux its entries are reached through the handle, so a program that puts a link in the place of
 * the folder, or of one above it, changes nothing. On other systems the folder is compared once with what is at its path, and its
 * entries are reached by their paths.
 */
export interface OpenFolder {
  /** The path of the folder, absolute and without links. */
  readonly real: string;
  /** Where the file system finds the folder itself. */
  readonly self: string;
  /** Where the file system finds an entry of this name. Valid until {@link OpenFolder.close}. */
  place(name: string): string;
  close(): Promise<void>;
}

/** Flags for handles that follow no link at their end and wait for nobody. Windows has neither. */
export const carefully = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a folder.
 *
 * @param real - its absolute path without links
 * @param place - how to reach it, such as through the handle of the folder above. @defaultValue `real`
 * @throws {@link PathChangedError} when something else is at this path, such as a link that has taken the folder's place.
 */
export async function openFolder(workspace: Workspace, real: string, place = real): Promise<OpenFolder> {
  if (process.platform === 'win32') {
    return { real, self: real, place: (name) => path.join(real, name), close: async () => undefined };
  }
  const changed = () => new PathChangedError(workspace.show(real));
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | carefully;
  const handle = await open(place, flags).catch(async (error: unknown) => {
    // Linux reports a link as ENOTDIR where a folder was asked for, other systems as ELOOP.
    throw ['ELOOP', 'ENOTDIR'].includes(codeOf(error) ?? '') && (await isLink(place)) ? changed() : error;
  });
  try {
    const magic = `/proc/self/fd/${handle.fd}`;
    const found = await readlink(magic).catch(() => undefined);
    if (found === undefined ? !(await isStillAt(handle, real)) : found !== real) throw changed();
    const self = found === undefined ? real : magic;
    return { real, self, place: (name) => `${self}/${name}`, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function isLink(place: string): Promise<boolean> {
  return lstat(place).then(
    (status) => status.isSymbolicLink(),
    () => false,
  );
}

async function isStillAt(handle: FileHandle, real: string): Promise<boolean> {
  const [held, found] = await Promise.all([handle.stat({ bigint: true }), lstat(real, { bigint: true })]);
  return held.dev === found.dev && held.ino === found.ino;
}
