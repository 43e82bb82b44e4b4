import { mkdir, readdir, rename, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, unless } from './file-system-error.js';
import { describeToken } from './writer-token.js';
import type { WriterTokens } from './writer-token.js';

/** The right to write to one log, until it is released or another writer ousts this one. */
export interface WriterLock {
  /** The file that stands for this writer while it has the lock: to rename it succeeds only as long as it does. */
  readonly token: string;
  /** The files of writers that were ousted, and that may still hold the log open. */
  readonly ousted: readonly string[];
  /** Resolves to false when this writer had been ousted: then it was not alone with the log. */
  release(): Promise<boolean>;
}

/** Another writer has the lock, and says who it is. */
export interface LockIsBusy {
  readonly holder: string;
}

/** Options of {@link acquireLock}. */
export interface LockOptions {
  readonly tokens: WriterTokens;
  /** How long to wait for another writer; 0 tries once. Unit: milliseconds. */
  readonly timeoutMs: number;
  /** A writer that has been there for longer is ousted. Unit: milliseconds. */
  readonly oustAfterMs: number;
}

const oustedSuffix = '.ousted';

/**
 * Takes the lock. Each writer puts a file of its own into the lock's folder and then looks who else is there: alone, it has
 * the lock; otherwise it steps back and tries again. Of two writers at least one sees the other, nobody can overwrite the
 * file of another, and a killed writer leaves nothing behind but its own file.
 *
 * The file of a process that is gone is removed. One that is too old is renamed: its writer may be alive but out of sight
 * (in another container) or asleep, and learns from the missing file that it was ousted. Who gets the lock next must put
 * the log out of its reach first: see `replaceLog`. Ages are differences of times that the file system gave, so clocks do
 * not matter.
 */
export async function acquireLock(folder: string, options: LockOptions): Promise<WriterLock | LockIsBusy> {
  const deadline = performance.now() + options.timeoutMs;
  for (let attempt = 0; ; attempt++) {
    const result = await tryLock(folder, options);
    if ('release' in result || performance.now() >= deadline) return result;
    // Random, so that two writers who stepped back from each other do not meet again.
    await delay(Math.random() * Math.min(20, 2 ** attempt));
  }
}

async function tryLock(folder: string, options: LockOptions): Promise<WriterLock | LockIsBusy> {
  const name = options.tokens.create();
  const token = join(folder, name);
  await createToken(folder, token);
  for (;;) {
    const there = (await unless(readdir(folder), 'ENOENT')) ?? [];
    if (!there.includes(name)) return { holder: 'a writer that ousted this one' };
    const ousted = there.filter((other) => other.endsWith(oustedSuffix)).map((other) => join(folder, other));
    const others = there.filter((other) => other !== name && !other.endsWith(oustedSuffix));
    if (others.length === 0) return { token, ousted, release: () => removeToken(folder, token) };
    for (const other of others) {
      if (await clearAway(join(folder, other), other, token, options)) continue;
      await removeToken(folder, token);
      return { holder: describeToken(other) };
    }
  }
}

async function createToken(folder: string, token: string): Promise<void> {
  for (;;) {
    await unless(mkdir(folder), 'EEXIST');
    try {
      return await writeFile(token, '', { flag: 'wx' });
    } catch (error) {
      // The last writer removed the folder in between.
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
}

/** True when the other writer's file is no longer in the way. */
async function clearAway(other: string, name: string, own: string, options: LockOptions): Promise<boolean> {
  if (options.tokens.isDead(name)) {
    await unless(unlink(other), 'ENOENT');
    return true;
  }
  const times = await unless(Promise.all([stat(own), stat(other)]), 'ENOENT');
  if (times === undefined) return true;
  if (times[0].mtimeMs - times[1].mtimeMs <= options.oustAfterMs) return false;
  await unless(rename(other, `${other}${oustedSuffix}`), 'ENOENT');
  return true;
}

async function removeToken(folder: string, token: string): Promise<boolean> {
  try {
    await unlink(token);
  } catch (error) {
    // Any other failure leaves the file, and the lock with it, where they are.
    if (errorCode(error) === 'ENOENT') return false;
  }
  // Refused while another writer is there, which is as it should be.
  await rmdir(folder).catch(() => undefined);
  return true;
}
