import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { platform } from 'node:process';

/** Makes the names in a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folder for writing and needs none: NTFS journals names.
  if (platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Creates a folder and the ones that it stands in, and with `fsync` makes them survive a power cut. */
export async function createFolder(folder: string, fsync: boolean): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined || !fsync) return;
  const top = dirname(resolve(first));
  for (let current = resolve(folder); ; current = dirname(current)) {
    await syncFolder(current);
    if (current === top || current === dirname(current)) return;
  }
}
