import { constants, fstatSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { EventStoreError } from '../errors.js';

/**
 * Opens a log, by the flags of `open(2)`. Opening never waits, so a named pipe in the place of a log is refused at once. What is
 * written to a pipe or a device is gone.
 *
 * @throws {@link EventStoreError} when the path leads to something else than a file; the error of the system when it cannot be opened.
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
