import { open, writeFile } from 'node:fs/promises';
import { unless } from './file-system-error.js';

/** How often a writer counts on. Unit: milliseconds. */
export const heartbeatMs = 5_000;

/** A writer that cannot be seen and whose count has not changed for so long is taken for dead. Unit: milliseconds. */
export const silenceMs = 30_000;

/** The signs of life of one writer. */
export interface Heartbeat {
  stop(): void;
}

/**
 * Counts in the token of a writer, as long as the writer has the lock: a count, and no time, since clocks differ. A token that
 * holds a count belongs to somebody who has the lock for long.
 */
export async function startHeartbeat(token: string): Promise<Heartbeat> {
  let count = 0;
  // Never creates the token: it is gone when another writer has ousted this one.
  const beat = () => writeFile(token, String(++count), { flag: 'r+' });
  await unless(beat(), 'ENOENT');
  let isBeating = false;
  const timer = setInterval(() => {
    if (isBeating) return;
    isBeating = true;
    beat()
      // A disk that fails for a moment is no reason to fall silent.
      .catch(() => undefined)
      .finally(() => (isBeating = false));
  }, heartbeatMs);
  // A process that has nothing else to do may end.
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** What a token says of its writer. */
export interface Beat {
  /** Differs as long as the writer lives. */
  readonly value: string;
  /** The writer has the lock for long, and not for one append. */
  readonly isHeld: boolean;
}

/** Reads a token; undefined when it is gone. */
export async function readBeat(token: string): Promise<Beat | undefined> {
  const handle = await unless(open(token, 'r'), 'ENOENT');
  if (handle === undefined) return undefined;
  try {
    // While a log is replaced, the token is the copy that grows.
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(longestCount), 0, longestCount, 0);
    const start = buffer.toString('latin1', 0, bytesRead);
    return { value: `${size} ${start}`, isHeld: /^\d+$/.test(start) };
  } finally {
    await handle.close();
  }
}

const longestCount = 20;

/** Remembers since when the heartbeats of others have not changed, by the observer's own clock. */
export class HeartbeatWatch {
  readonly #now: () => number;
  readonly #seen = new Map<string, { readonly value: string; readonly since: number }>();

  /** @param now - a clock that is never set, such as `performance.now`. Unit: milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** How long the writer has shown no sign of life, as far as anybody here has looked. Unit: milliseconds. */
  silenceOf(token: string, { value }: Beat): number {
    const now = this.#now();
    const seen = this.#seen.get(token);
    if (seen?.value === value) return now - seen.since;
    this.#seen.set(token, { value, since: now });
    return 0;
  }

  /** Forgets all writers but these. */
  keepOnly(tokens: readonly string[]): void {
    for (const token of this.#seen.keys()) if (!tokens.includes(token)) this.#seen.delete(token);
  }
}
