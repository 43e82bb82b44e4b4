import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { ConversationFiles } from './conversation-files.js';
import { openLog } from './open-log.js';
import { isAt, replaceLog } from './replace-log.js';
import { acquireLock } from './writer-lock.js';
import type { LockIsBusy, LockOptions, WriterLock } from './writer-lock.js';

/** An open log with its lock: no other writer has it. */
export interface LockedLog {
  /** Open for reading and for appending. */
  readonly handle: FileHandle;
  /** The right to write to it. */
  readonly lock: WriterLock;
  /** Closes the log and releases the lock. Resolves to false if this writer was ousted: its events may be lost. */
  release(): Promise<boolean>;
}

/**
 * Opens a log and takes its lock. The log is opened first: a writer that is ousted later then holds the old file, which is
 * about to be replaced, and never the new one.
 */
export async function lockLog(
  files: ConversationFiles,
  options: LockOptions & { readonly create: boolean },
): Promise<LockedLog | LockIsBusy> {
  const flags = constants.O_RDWR | constants.O_APPEND | (options.create ? constants.O_CREAT : 0);
  for (;;) {
    const handle = await openLog(files.log, flags);
    let lock: WriterLock | undefined;
    let mine = false;
    try {
      const acquired = await acquireLock(files.lock, options);
      if ('holder' in acquired) return acquired;
      lock = acquired;
      if (lock.ousted.length > 0) await replaceLog(files.log, lock);
      else mine = isAt(files.log, handle);
    } finally {
      if (!mine) {
        await handle.close();
        await lock?.release();
      }
    }
    if (mine && lock !== undefined) return openedLog(handle, lock);
  }
}

function openedLog(handle: FileHandle, lock: WriterLock): LockedLog {
  return { handle, lock, release: () => releaseLog(handle, lock) };
}

async function releaseLog(handle: FileHandle, lock: WriterLock): Promise<boolean> {
  try {
    await handle.close();
  } finally {
    return await lock.release();
  }
}
