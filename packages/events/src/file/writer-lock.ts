import { accessSync, constants, fstatSync, statSync } from 'node:fs';
import { mkdir, open, readdir, rename, rmdir, unlink, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConversationFiles } from './conversation-files.js';
import { errorCode, openLog, syncFolder, unless } from './files.js';
import { describeToken, isToken, orderOf, readBeat, silenceMs } from './writer-life.js';
import type { HeartbeatWatch, WriterTokens } from './writer-life.js';

/** The right to write to one log, until it is released or another writer ousts this one. */
export interface WriterLock {
  /** The token file of this writer. Renaming it succeeds only as long as the writer has the lock. */
  readonly token: string;
  /** The token files of ousted writers, which may still hold the log open. */
  readonly ousted: readonly string[];
  /**
   * Returns false if this writer has been ousted: its events may be lost. The check is synchronous: looking up a name
   * in a local folder takes a tenth of the time of waiting for a thread.
   */
  isOurs(): boolean;
  /** Resolves to false if this writer had been ousted: then another writer may have changed the log. */
  release(): Promise<boolean>;
}

/** The writer that has the lock. */
export interface LockIsBusy {
  readonly holder: string;
  /** The writer keeps the lock for more than one append. */
  readonly isHeld: boolean;
}

/** Options of {@link acquireLock}. */
export interface LockOptions {
  readonly tokens: WriterTokens;
  readonly watch: HeartbeatWatch;
  /**
   * The longest wait for other appends. 0 tries once. A writer that keeps the lock is not waited for. Unit:
   * milliseconds.
   */
  readonly timeoutMs: number;
  /**
   * True: if a writer's process cannot be observed, waits until its heartbeat decides whether it lives. The wait is at most
   * {@link silenceMs}.
   */
  readonly waitForSilence: boolean;
}

const oustedSuffix = '.ousted';

/**
 * Takes the lock. Each writer creates a token file in the lock's folder and then lists the folder. If its file is the
 * only one, it has the lock. Otherwise the first writer waits with its file in place, and the others remove theirs and
 * try again, after a wait that grows with their number and with the time that a try takes. Of two writers at least one
 * sees the other, no writer can overwrite another's file, and a killed writer leaves only its own file.
 *
 * The file of a dead process is removed. If the process cannot be observed (on another machine, in another container),
 * its file is renamed once its heartbeat has stopped. That writer may still be alive; it learns from the missing file
 * that it was ousted. The next holder of the lock must first replace the log, so that the ousted writer cannot reach
 * it: see `replaceLog`. File names are never reused, so removing or renaming a file cannot affect another writer. A
 * file whose name is not a writer's is neither waited for nor changed.
 */
export async function acquireLock(folder: string, options: LockOptions): Promise<WriterLock | LockIsBusy> {
  const deadline = performance.now() + options.timeoutMs;
  const firstBeats = new Map<string, string>();
  let name: string | undefined;
  try {
    for (let attempt = 0; ; attempt++) {
      const begun = performance.now();
      name ??= await createToken(folder, options.tokens);
      const own = name;
      const there = (await unless(readdir(folder), 'ENOENT')) ?? [];
      const others = there.filter((other) => other !== own && isToken(other));
      options.watch.keepOnly(others);
      if (there.includes(own) && others.length === 0) {
        const ousted = there.filter(isOusted).map((other) => join(folder, other));
        return lockOf(folder, join(folder, own), ousted);
      }
      const stepBack = async () => {
        name = undefined;
        await removeToken(folder, join(folder, own));
      };
      // Before the others are looked at, which takes longer: this one is not in their way meanwhile.
      if (others.some((other) => orderOf(other) < orderOf(own))) await stepBack();
      const inTheWayMs = performance.now() - begun;
      const obstacle = await obstacleAmong(others, folder, firstBeats, options);
      if (!there.includes(own)) {
        // This writer was ousted: other writers saw no heartbeat for too long.
        name = undefined;
        continue;
      }
      // The obstacles are gone, so the loop checks again.
      if (obstacle === undefined) continue;
      const now = performance.now();
      const isOver = now >= deadline;
      const isToWait = obstacle.isUndecided ? options.waitForSilence || !isOver : !obstacle.isHeld && !isOver;
      if (name !== undefined && (!isToWait || obstacle.isHeld)) await stepBack();
      if (!isToWait) return { holder: obstacle.holder, isHeld: obstacle.isHeld };
      // Random, so that two writers who stepped back from each other do not meet again. Those who stepped back stay away for longer than
      // they were in the way, however slow the disk or the machine is: otherwise the first would hardly ever find itself alone.
      const shortMs = obstacle.isHeld ? 100 : Math.min(20, 2 ** attempt);
      const longMs = name === undefined && !obstacle.isHeld ? Math.min(others.length * inTheWayMs, deadline - now) : 0;
      await delay(Math.random() * Math.max(shortMs, longMs));
    }
  } catch (error) {
    if (name !== undefined) await removeToken(folder, join(folder, name));
    throw error;
  }
}

function isOusted(name: string): boolean {
  return name.endsWith(oustedSuffix) && isToken(name.slice(0, -oustedSuffix.length));
}

/** A writer that keeps this one from taking the lock. */
interface Obstacle extends LockIsBusy {
  /** It is not known yet whether the writer lives. */
  readonly isUndecided: boolean;
}

/** Removes the files of dead writers. Undefined if no other writer is left. */
async function obstacleAmong(
  others: readonly string[],
  folder: string,
  firstBeats: Map<string, string>,
  { tokens, watch }: LockOptions,
): Promise<Obstacle | undefined> {
  let found: Obstacle | undefined;
  for (const name of others) {
    const other = join(folder, name);
    const life = tokens.lifeOf(name);
    if (life === 'dead') {
      await unless(unlink(other), 'ENOENT');
      continue;
    }
    const beat = await readBeat(other);
    if (beat === undefined) continue;
    if (life === 'unseen' && watch.silenceOf(name, beat) >= silenceMs) {
      await unless(rename(other, `${other}${oustedSuffix}`), 'ENOENT');
      continue;
    }
    const isUndecided = life === 'unseen' && (firstBeats.get(name) ?? beat.value) === beat.value;
    firstBeats.set(name, firstBeats.get(name) ?? beat.value);
    const { isHeld } = beat;
    // A living holder comes first, then a writer that may be dead, then an append, which ends soon.
    if (found === undefined || rank({ isHeld, isUndecided }) > rank(found)) {
      const where = life === 'unseen' ? ', perhaps on another machine or in another container,' : '';
      found = { holder: describeToken(name) + where, isHeld, isUndecided };
    }
  }
  return found;
}

function rank({ isHeld, isUndecided }: Pick<Obstacle, 'isHeld' | 'isUndecided'>): number {
  return isHeld && !isUndecided ? 2 : isUndecided ? 1 : 0;
}

async function createToken(folder: string, tokens: WriterTokens): Promise<string> {
  const name = tokens.create();
  for (;;) {
    await unless(mkdir(folder, { mode: 0o700 }), 'EEXIST');
    try {
      await writeFile(join(folder, name), '', { flag: 'wx', mode: 0o600 });
      return name;
    } catch (error) {
      // The last writer removed the folder in between.
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
}

function lockOf(folder: string, token: string, ousted: readonly string[]): WriterLock {
  return {
    token,
    ousted,
    isOurs: () => isThere(token),
    release: () => removeToken(folder, token),
  };
}

function isThere(token: string): boolean {
  try {
    accessSync(token);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

async function removeToken(folder: string, token: string): Promise<boolean> {
  try {
    await unlink(token);
  } catch (error) {
    // After any other failure the file exists and the lock is still held.
    if (errorCode(error) === 'ENOENT') return false;
  }
  // Fails if another writer's file is in the folder. That is expected.
  await rmdir(folder).catch(() => undefined);
  return true;
}

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

const copyBlockBytes = 1 << 20;

/**
 * Replaces the log with a copy, so that ousted writers that still hold the old file open can no longer write to the
 * log. Their later writes are lost; they find their token missing and examine the log again.
 *
 * The copy is written into the token of the lock's holder and moved from there. If the holder is ousted meanwhile, its
 * token is renamed away and the move fails, so nobody can replace a log that has gone on without them. Moving the token
 * gives the lock up; the caller takes it again.
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
  const block = Buffer.allocUnsafe(copyBlockBytes);
  for (let position = 0; ;) {
    const { bytesRead } = await from.read(block, 0, copyBlockBytes, position);
    if (bytesRead === 0) return;
    for (let written = 0; written < bytesRead;) {
      const result = await to.write(block, written, bytesRead - written, position + written);
      written += result.bytesWritten;
    }
    position += bytesRead;
  }
}

/** Returns true when the open file is the one that the path names now. */
function isAt(path: string, handle: FileHandle): boolean {
  const there = statSync(path, { bigint: true, throwIfNoEntry: false });
  const open = fstatSync(handle.fd, { bigint: true });
  return there?.ino === open.ino && there.dev === open.dev;
}
