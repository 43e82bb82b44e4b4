import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { platform } from 'node:process';

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
