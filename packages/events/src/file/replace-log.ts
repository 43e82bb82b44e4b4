import { constants, fstatSync, statSync } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { unless } from './file-system-error.js';
import { openLog } from './open-log.js';
import { syncFolder } from './sync-folder.js';
import type { WriterLock } from './writer-lock.js';

const blockBytes = 1 << 20;

/**
 * Replaces the log with a copy, so that ousted writers that still hold the old file open can no longer write to the log. Their
 * later writes are lost; they find their token missing and examine the log again.
 *
 * The copy is written into the token of the lock's holder and moved from there. If the holder is ousted meanwhile, its token is
 * renamed away and the move fails, so nobody can replace a log that has gone on without them. Moving the token gives the lock
 * up; the caller takes it again.
 */
export async function replaceLog(log: string, lock: WriterLock): Promise<void> {
  const copy = await unless(open(lock.token, 'r+'), 'ENOENT');
  if (copy === undefined) return;
  try {
    const original = await openLog(log, constants.O_RDONLY);
    try {
      await copy.chmod((await original.stat()).mode);
      await copyAll(original, copy);
    } finally {
      await original.close();
    }
    await copy.sync();
  } finally {
    await copy.close();
  }
  const moved = await unless(
    rename(lock.token, log).then(() => true),
    'ENOENT',
  );
  if (moved === undefined) return;
  await syncFolder(dirname(log));
  for (const token of lock.ousted) await unless(unlink(token), 'ENOENT');
}

async function copyAll(from: FileHandle, to: FileHandle): Promise<void> {
  const block = Buffer.allocUnsafe(blockBytes);
  for (let position = 0; ;) {
    const { bytesRead } = await from.read(block, 0, blockBytes, position);
    if (bytesRead === 0) return;
    for (let written = 0; written < bytesRead;) {
      const result = await to.write(block, written, bytesRead - written, position + written);
      written += result.bytesWritten;
    }
    position += bytesRead;
  }
}

/** True when the open file is the one that the path names now. */
export function isAt(path: string, handle: FileHandle): boolean {
  const there = statSync(path, { bigint: true, throwIfNoEntry: false });
  const open = fstatSync(handle.fd, { bigint: true });
  return there?.ino === open.ino && there.dev === open.dev;
}
