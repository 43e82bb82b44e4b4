import { constants } from 'node:fs';
import { lstat, open, readlink, mkdir, rename, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { PathChangedError, UnusableFileError } from './workspace.js';
import { codeOf, ifAbsent, problemOf, shownName } from './problems.js';
import type { Workspace } from './workspace.js';

/**
 * A folder that is held open. On Linux its entries are reached through the handle, so a program that puts a link in the place of
 * the folder, or of one above it, changes nothing. On other systems the folder is compared once with what is at its path, and its
 * entries are reached by their paths.
 */
export interface OpenFolder {
  /** The path of the folder, absolute and without links. */
  readonly real: string;
  /** The path by which the file system finds the folder itself. */
  readonly self: string;
  /** Returns the path by which the file system finds an entry of this name. Valid until {@link OpenFolder.close}. */
  place(name: string): string;
  close(): Promise<void>;
}

/** Flags for handles that follow no link at their end and wait for nobody. Windows has neither. */
const noFollow = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

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
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | noFollow;
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

/** A regular file that is held open for reading. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly status: Stats;
}

/** The place of a file that exists or could: its folder, held open, and its name in it. */
export interface FilePlace {
  readonly folder: OpenFolder;
  readonly name: string;
  /** Relative to the root of the workspace, without links, with forward slashes. */
  readonly path: string;
  /** The same, for texts. */
  readonly shown: string;
  /** The folders that were made for it, from the outside in, as {@link FilePlace.path}. */
  readonly createdFolders: readonly string[];
}

/** The beginning of the names of temporary files. They are left behind only when the process is killed. */
const temporaryPrefix = '.palimpsest-';

/**
 * Finds the place of a file and holds its folder open while `use` runs.
 *
 * @throws what {@link Workspace.resolve} throws, {@link UnusableFileError} and {@link PathChangedError}.
 */
export async function atPlace<Result>(
  workspace: Workspace,
  requested: string,
  use: (place: FilePlace) => Promise<Result>,
  options: { readonly createFolders?: boolean } = {},
): Promise<Result> {
  const real = await workspace.resolveLinks(requested);
  const shown = shownName(workspace.show(real));
  if (real === workspace.root) throw new UnusableFileError(requested, `'${requested}' is a folder. Use list_files.`);
  try {
    const { folder, created } = await openParent(workspace, path.dirname(real), options.createFolders === true);
    try {
      const createdFolders = created.map((each) => workspace.show(each));
      return await use({ folder, name: path.basename(real), path: workspace.show(real), shown, createdFolders });
    } finally {
      await folder.close();
    }
  } catch (error) {
    throw codeOf(error) === 'ENOENT' ? absent(shown, error) : withoutPlace(error, shown);
  }
}

/** Opens a file of the workspace while `use` runs. Nothing but a regular file is opened, not even for a moment. */
export async function withFile<Result>(
  workspace: Workspace,
  requested: string,
  use: (file: OpenFile) => Promise<Result>,
): Promise<Result> {
  return atPlace(workspace, requested, async (place) => {
    const file = await openAt(place);
    if (file === undefined) throw absent(place.shown);
    try {
      return await use(file);
    } finally {
      await file.handle.close();
    }
  });
}

/** Opens the file at a place. Undefined if there is none. */
export async function openAt({ folder, name, shown }: FilePlace): Promise<OpenFile | undefined> {
  const place = folder.place(name);
  const before = await lstat(place).catch(ifAbsent);
  if (before === undefined) return undefined;
  assertRegular(before, shown);
  const handle = await open(place, constants.O_RDONLY | noFollow).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw codeOf(error) === 'ELOOP' || codeOf(error) === 'ENXIO' ? new PathChangedError(shown) : error;
  });
  if (handle === undefined) return undefined;
  try {
    const status = await handle.stat();
    assertRegular(status, shown);
    return { handle, status };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Puts a file with this content at a place, in one step: other programs see the old content or the new one, never a part. Its mode
 * is kept. Where the file has further names (hard links), they keep the old content.
 *
 * @param before - what was there when it was looked at; undefined: nothing
 * @throws {@link PathChangedError} when something else is there now.
 */
export async function replaceAt(
  place: FilePlace,
  content: Uint8Array | string,
  options: { readonly before: Stats | undefined; readonly mode?: number },
): Promise<void> {
  const { before } = options;
  const mode = options.mode ?? (before === undefined ? undefined : before.mode & 0o777);
  const temporary = place.folder.place(`${temporaryPrefix}${randomBytes(8).toString('hex')}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow;
  const handle = await open(temporary, flags, mode === undefined ? 0o666 : 0o600);
  try {
    try {
      await handle.writeFile(content);
      if (before !== undefined) await handle.chown(before.uid, before.gid).catch(() => undefined);
      if (mode !== undefined) await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await assertUnchanged(place, before);
    await rename(temporary, place.folder.place(place.name));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Deletes the file at a place. @throws {@link PathChangedError} when it is not the one that was looked at. */
export async function deleteAt(place: FilePlace, before: Stats): Promise<void> {
  await assertUnchanged(place, before);
  await unlink(place.folder.place(place.name));
}

async function assertUnchanged({ folder, name, shown }: FilePlace, before: Stats | undefined): Promise<void> {
  const now = await lstat(folder.place(name)).catch(ifAbsent);
  const facts = (status: Stats | undefined) => status && [status.dev, status.ino, status.size, status.mtimeMs].join();
  if (facts(now) !== facts(before)) throw new PathChangedError(shown);
}

async function openParent(
  workspace: Workspace,
  real: string,
  create: boolean,
): Promise<{ readonly folder: OpenFolder; readonly created: readonly string[] }> {
  try {
    return { folder: await openFolder(workspace, real), created: [] };
  } catch (error) {
    if (!create || codeOf(error) !== 'ENOENT' || real === workspace.root) throw error;
  }
  const { folder: above, created } = await openParent(workspace, path.dirname(real), create);
  try {
    const place = above.place(path.basename(real));
    await mkdir(place).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    return { folder: await openFolder(workspace, real, place), created: [...created, real] };
  } finally {
    await above.close();
  }
}

function assertRegular(status: Stats, shown: string): void {
  if (status.isFile()) return;
  if (status.isDirectory()) throw new UnusableFileError(shown, `'${shown}' is a folder. Use list_files.`);
  if (status.isSymbolicLink()) throw new PathChangedError(shown);
  throw new UnusableFileError(shown, `'${shown}' is ${kindOf(status)}, and not a regular file. It is not opened.`);
}

/** Returns the name of a kind of entry that is neither a file nor a folder. */
export function kindOf(status: Pick<Stats, 'isFIFO' | 'isSocket' | 'isSymbolicLink'>): string {
  if (status.isFIFO()) return 'a FIFO';
  if (status.isSocket()) return 'a socket';
  return status.isSymbolicLink() ? 'a link' : 'a device';
}

/** Returns the error for a file that is not there. */
export function absent(shown: string, cause?: unknown): UnusableFileError {
  return new UnusableFileError(shown, `There is no file '${shown}'. Use list_files or search to find it.`, { cause });
}

/** Returns the error itself, or, where it is the system's, one that does not name the place on this machine. */
export function withoutPlace(error: unknown, shown: string): unknown {
  const isSystemError = error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
  return isSystemError ? new UnusableFileError(shown, `'${shown}' ${problemOf(error)}.`, { cause: error }) : error;
}
