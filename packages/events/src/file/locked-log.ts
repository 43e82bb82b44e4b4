import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { ConversationFiles } from './conversation-files.js';
import { isAt, replaceLog } from './replace-log.js';
import { acquireLock } from './writer-lock.js';
import type { LockIsBusy, LockOptions, WriterLock } from './writer-lock.js';

/** A log that is open for writing by nobody else. */
export interface LockedLog {
  /** Open for reading and for appending. */
  readonly handle: FileHandle;
  /** The right to write to it. */
  readonly lock: WriterLock;
  /** Closes it and lets others in. Resolves to false when this writer was ousted: what it wrote may be nowhere. */
  release(): Promise<boolean>;
}

/**
 * Opens a log and takes its lock. The log is opened first: a writer that is ousted after that holds a file that is about to
 * be replaced, and can never come to hold the file that takes its place.
 */
export async function lockLog(
  files: ConversationFiles,
  options: LockOptions & { readonly create: boolean },
): Promise<LockedLog | LockIsBusy> {
  const flags = constants.O_RDWR | constants.O_APPEND | (options.create ? constants.O_CREAT : 0);
  for (;;) {
    const handle = await open(files.log, flags, 0o600);
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
