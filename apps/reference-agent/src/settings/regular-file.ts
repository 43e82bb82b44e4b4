import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

/** Larger files are no configuration. Unit: bytes. */
export const maxFileBytes = 1_048_576;

/**
 * Opens a regular file to read it; undefined if there is no such file. A pipe or a device is not waited for, and what is read was
 * looked at in the same moment, whatever the path names later.
 *
 * @throws Error that says why it cannot be read.
 */
export async function openRegularFile(file: string): Promise<FileHandle | undefined> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (handle === undefined || (await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error('it is no regular file');
}

/**
 * The bytes of a small regular file; undefined if there is no such file.
 *
 * @throws Error that says why it cannot be read.
 */
export async function bytesOfFile(file: string): Promise<Buffer | undefined> {
  const handle = await openRegularFile(file);
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat();
    if (found.size > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes} bytes`);
    const buffer = Buffer.alloc(maxFileBytes + 1);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    if (bytesRead > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes} bytes`);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
