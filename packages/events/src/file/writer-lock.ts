import { accessSync } from 'node:fs';
import { mkdir, readdir, rename, rmdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, unless } from './file-system-error.js';
import { readBeat, silenceMs } from './heartbeat.js';
import type { HeartbeatWatch } from './heartbeat.js';
import { describeToken, orderOf } from './writer-token.js';
import type { WriterTokens } from './writer-token.js';

/** The right to write to one log, until it is released or another writer ousts this one. */
export interface WriterLock {
  /** The file that stands for this writer while it has the lock: to rename it succeeds only as long as it does. */
  readonly token: string;
  /** The files of writers that were ousted, and that may still hold the log open. */
  readonly ousted: readonly string[];
  /**
   * False when this writer has been ousted: what it wrote may be nowhere. It looks at once, without a thread: to look up a name
   * in a local folder takes a tenth of what it costs to wait for a thread that does it.
   */
  isOurs(): boolean;
  /** Resolves to false when this writer had been ousted: then it was not alone with the log. */
  release(): Promise<boolean>;
}

/** Another writer has the lock, and says who it is. */
export interface LockIsBusy {
  readonly holder: string;
  /** It has it for long, and not for one append. */
  readonly isHeld: boolean;
}

/** Options of {@link acquireLock}. */
export interface LockOptions {
  readonly tokens: WriterTokens;
  readonly watch: HeartbeatWatch;
  /** How long to wait for others that append; 0 tries once. Nobody waits for one that has it for long. Unit: milliseconds. */
  readonly timeoutMs: number;
  /** Whether to wait until it is known of a writer that cannot be seen whether it lives: {@link silenceMs} at most. */
  readonly waitForSilence: boolean;
}

const oustedSuffix = '.ousted';

/**
 * Takes the lock. Each writer puts a file of its own into the lock's folder and then looks who else is there: alone, it has
 * the lock; otherwise the first of them waits where it is, and the others step back and try again. Of two writers at least one
 * sees the other, nobody can overwrite the file of another, and a killed writer leaves nothing behind but its own file.
 *
 * The file of a process that is gone is removed. One whose process cannot be seen (on another machine, in another container)
 * is renamed once its heartbeat has stopped: its writer may be alive all the same, and learns from the missing file that it
 * was ousted. Who gets the lock next must put the log out of its reach first: see `replaceLog`. Each file has a name that is
 * never used again, so that of several who remove or rename it none can hit another writer.
 */
export async function acquireLock(folder: string, options: LockOptions): Promise<WriterLock | LockIsBusy> {
  const deadline = performance.now() + options.timeoutMs;
  const firstBeats = new Map<string, string>();
  let name: string | undefined;
  try {
    for (let attempt = 0; ; attempt++) {
      name ??= await createToken(folder, options.tokens);
      const own = name;
      const there = (await unless(readdir(folder), 'ENOENT')) ?? [];
      const others = there.filter((other) => other !== own && !other.endsWith(oustedSuffix));
      options.watch.keepOnly(others);
      const obstacle = await obstacleAmong(others, folder, firstBeats, options);
      if (!there.includes(own)) {
        // Ousted: others have not seen it move for too long.
        name = undefined;
        continue;
      }
      if (others.length === 0) {
        const ousted = there.filter((other) => other.endsWith(oustedSuffix)).map((other) => join(folder, other));
        return lockOf(folder, join(folder, own), ousted);
      }
      // Those that were in the way are gone, so it looks again.
      if (obstacle === undefined) continue;
      const isOver = performance.now() >= deadline;
      const isToWait = obstacle.isUndecided ? options.waitForSilence || !isOver : !obstacle.isHeld && !isOver;
      const isFirst = !obstacle.isHeld && others.every((other) => orderOf(own) < orderOf(other));
      if (!isToWait || !isFirst) {
        name = undefined;
        await removeToken(folder, join(folder, own));
      }
      if (!isToWait) return { holder: obstacle.holder, isHeld: obstacle.isHeld };
      // Random, so that two writers who stepped back from each other do not meet again.
      await delay(Math.random() * (obstacle.isHeld ? 100 : Math.min(20, 2 ** attempt)));
    }
  } catch (error) {
    if (name !== undefined) await removeToken(folder, join(folder, name));
    throw error;
  }
}

/** A writer for whom this one must make way. */
interface Obstacle extends LockIsBusy {
  /** Nobody knows yet whether it lives. */
  readonly isUndecided: boolean;
}

/** Clears away those who are gone. Undefined when nobody is left. */
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
    // Who holds it and lives decides; then who may be gone; an append is over soon.
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
    // Any other failure leaves the file, and the lock with it, where they are.
    if (errorCode(error) === 'ENOENT') return false;
  }
  // Refused while another writer is there, which is as it should be.
  await rmdir(folder).catch(() => undefined);
  return true;
}
