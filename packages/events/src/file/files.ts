import { constants, fstatSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { platform } from 'node:process';
import { EventStoreError } from '../errors.js';

/** Makes the names in a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder for writing. It need not: NTFS journals names.
  if (platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Creates a folder and its missing parents, accessible only to their owner. With `fsync` they survive a power cut. Existing
 * folders are not changed.
 */
export async function createFolder(folder: string, fsync: boolean): Promise<void> {
  const first = await createFolders(resolve(folder));
  if (first === undefined || !fsync) return;
  const top = dirname(first);
  for (let current = resolve(folder); ; current = dirname(current)) {
    await syncFolder(current);
    if (current === top || current === dirname(current)) return;
  }
}

/**
 * Creates a folder and its missing parents. Returns the outermost created folder; undefined if all existed. Node's own
 * recursive `mkdir` never ends if a file system refuses with `ENOENT` below an existing folder, as `/proc` does.
 */
async function createFolders(folder: string): Promise<string | undefined> {
  if (await createOne(folder, ['ENOENT', 'EEXIST'])) return folder;
  if (await isFolder(folder)) return undefined;
  const parent = dirname(folder);
  const first = parent === folder ? undefined : await createFolders(parent);
  const created = await createOne(folder, (await isFolder(folder)) ? ['EEXIST'] : []);
  return first ?? (created ? folder : undefined);
}

async function createOne(folder: string, expected: readonly string[]): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (expected.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** A file that is open and not used now. */
export interface IdleFile {
  /** Closes it because another file needs its place. */
  closeIdle(): Promise<void>;
}

/**
 * Limits the number of files that are open for writing. Idle files stay open until another file needs their place. The least
 * recently used file is closed first.
 */
export class OpenFiles {
  readonly #limit: number;
  /** In the order in which they were last used. */
  readonly #idle = new Set<IdleFile>();
  readonly #waiting: (() => void)[] = [];
  #open = 0;

  /** @param limit - how many may be open at a time */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Waits until one more file may be opened. The caller must return the place with `give` or `rest`. */
  async take(): Promise<void> {
    if (this.#open < this.#limit) {
      this.#open++;
      return;
    }
    const [oldest] = this.#idle;
    if (oldest === undefined) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#idle.delete(oldest);
    // The file counts as closed even if this fails; acknowledged events are already safe.
    await oldest.closeIdle().catch(() => undefined);
  }

  /** Gives back the place of a closed file. */
  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#open--;
    else next();
  }

  /** Marks an open file as idle. It stays open until another file needs its place. */
  async rest(file: IdleFile): Promise<void> {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#idle.add(file);
      return;
    }
    await file.closeIdle().catch(() => undefined);
    next();
  }

  /** Marks an idle file as used again. False if it was closed meanwhile. */
  wake(file: IdleFile): boolean {
    return this.#idle.delete(file);
  }
}

/**
 * Opens a log, by the flags of `open(2)`. Opening never waits, so a named pipe in the place of a log is refused at
 * once. What is written to a pipe or a device is gone.
 *
 * @throws {@link EventStoreError} when the path leads to something else than a file; the error of the system when it
 *   cannot be opened.
 */
export async function openLog(file: string, flags: number): Promise<FileHandle> {
  // Windows has neither the flag nor pipes in folders.
  const handle = await open(file, flags | (constants.O_NONBLOCK ?? 0), 0o600);
  const stat = fstatSync(handle.fd);
  if (stat.isFile()) return handle;
  await handle.close();
  throw new EventStoreError(
    `${file}: it is ${kindOf(stat)}, not a file. Move it away: a log is a file with one event a line.`,
    {
      file,
    },
  );
}

function kindOf(stat: Stats): string {
  if (stat.isFIFO()) return 'a named pipe';
  return stat.isDirectory() ? 'a folder' : stat.isSocket() ? 'a socket' : 'a device';
}

/** Returns the code of a system error (`'ENOENT'`); undefined for other errors. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Returns true for an error of the operating system. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** Resolves to undefined if the promise fails with one of these codes. */
export async function unless<T>(promise: Promise<T>, ...codes: readonly string[]): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (codes.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}
