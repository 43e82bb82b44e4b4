import { open, writeFile } from 'node:fs/promises';
import { unless } from './file-system-error.js';

/** The interval at which a writer increases its count. Unit: milliseconds. */
export const heartbeatMs = 5_000;

/** A writer whose process cannot be observed counts as dead if its count has not changed for this long. Unit: milliseconds. */
export const silenceMs = 30_000;

/** The heartbeat of one writer. */
export interface Heartbeat {
  stop(): void;
}

/**
 * Increases a count in the token of a writer as long as the writer has the lock. The token holds a count and not a time,
 * because clocks differ. A token with a count belongs to a writer that keeps the lock for more than one append.
 */
export async function startHeartbeat(token: string): Promise<Heartbeat> {
  let count = 0;
  // `r+` never creates the token: a missing token means that another writer has ousted this one.
  const beat = () => writeFile(token, String(++count), { flag: 'r+' });
  await unless(beat(), 'ENOENT');
  let isBeating = false;
  const timer = setInterval(() => {
    if (isBeating) return;
    isBeating = true;
    beat()
      // The heartbeat goes on after a temporary failure of the disk.
      .catch(() => undefined)
      .finally(() => (isBeating = false));
  }, heartbeatMs);
  // The timer does not keep the process alive.
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** The state of a writer, read from its token. */
export interface Beat {
  /** Changes as long as the writer lives. */
  readonly value: string;
  /** The writer keeps the lock for more than one append. */
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

/** Remembers when the heartbeats of other writers last changed, by the observer's own clock. */
export class HeartbeatWatch {
  readonly #now: () => number;
  readonly #seen = new Map<string, { readonly value: string; readonly since: number }>();

  /** @param now - a monotonic clock, such as `performance.now`. Unit: milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** How long this observer has seen no change of the writer's heartbeat. Unit: milliseconds. */
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
