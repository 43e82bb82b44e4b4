import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { errorCode, unless } from './files.js';

/** A maker of names for writers, which also checks whether the process of another writer lives. */
export interface WriterTokens {
  /** Returns a unique name that identifies its writer. */
  create(): string;
  /**
   * Returns the state of a writer's process. `unseen`: the writer is on another machine, in another container, or on a
   * system without process data. Its heartbeat must be checked.
   */
  lifeOf(token: string): ProcessLife;
}

/**
 * Returns the names of writers in this process: `<process id>.<scope of the id>.<start time>.<random>`. A process id is
 * valid only in the same boot and process namespace, so two containers never judge each other's processes.
 *
 * @param machineId - replaces the machine's boot and process namespace in the scope, if these do not distinguish machines
 */
export function writerTokens(machineId?: string): WriterTokens {
  const machine = machineId ?? [hostname(), readOr('', bootId), readOr('', processNamespace)].join('\n');
  const place = createHash('sha256').update(machine).digest('hex').slice(0, 16);
  return {
    create: () => `${pid}.${place}.${ownStartTime ?? 'unknown'}.${randomUUID()}`,
    lifeOf: (token) => {
      const [ownerPid, ownerPlace, startTime = ''] = token.split('.');
      return ownerPlace === place ? processLife(Number(ownerPid), startTime) : 'unseen';
    },
  };
}

/** Returns the random part of a name. It gives the writers an order that is independent of their processes. */
export function orderOf(token: string): string {
  return token.slice(token.lastIndexOf('.') + 1);
}

/**
 * Returns true for the name of a writer. Other programs leave files of their own in any folder: `.DS_Store`, `.nfs…`,
 * an editor's copy.
 */
export function isToken(name: string): boolean {
  return /^\d+\.\w+\.\w+\.[\w-]+$/.test(name);
}

/** Returns the description of a token's writer, for a message. */
export function describeToken(token: string): string {
  return `process ${token.split('.')[0]}`;
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
}

function processNamespace(): string {
  return readlinkSync('/proc/self/ns/pid');
}

function readOr(fallback: string, read: () => string): string {
  try {
    return read();
  } catch {
    return fallback;
  }
}

/** The interval at which a writer increases its count. Unit: milliseconds. */
const heartbeatMs = 5_000;

/**
 * A writer whose process cannot be observed counts as dead if its count has not changed for this long. Unit:
 * milliseconds.
 */
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
interface Beat {
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

  /** Returns the time for which this observer has seen no change of the writer's heartbeat. Unit: milliseconds. */
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

/**
 * The state of another process of this machine. `unseen`: a process with its number exists, but it may be a different
 * process.
 */
type ProcessLife = 'dead' | 'alive' | 'unseen';

/**
 * The start time of this process, in clock ticks since the machine was started. Undefined if the system does not provide it. Only
 * Linux provides it, if `/proc` shows this process's own process namespace.
 */
const ownStartTime: string | undefined = (() => {
  const own = processStat('self');
  return own?.id === pid ? own.startTime : undefined;
})();

/**
 * Returns true if the process with this number and start time lives. Numbers are reused after a process has ended;
 * start times are not. A stopped process (SIGSTOP) is alive. A killed process whose parent has not waited for it is
 * dead, unless one of its threads still runs.
 */
function processLife(id: number, startTime: string): ProcessLife {
  if (!processExists(id)) return 'dead';
  if (ownStartTime === undefined) return 'unseen';
  const found = processStat(id);
  // Some systems do not show the processes of other users.
  if (found === undefined || !/^\d+$/.test(startTime)) return processExists(id) ? 'unseen' : 'dead';
  return found.startTime === startTime && !found.hasEnded ? 'alive' : 'dead';
}

function processExists(id: number): boolean {
  if (!Number.isSafeInteger(id) || id <= 0) return true;
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

interface ProcessStat {
  readonly id: number;
  readonly startTime: string;
  readonly hasEnded: boolean;
}

/** @see proc_pid_stat(5) */
function processStat(id: number | 'self'): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    // The second field is the program's name in parentheses, and may hold anything.
    const [state = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [threads, startTime] = [Number(rest[16]), rest[18]];
    if (startTime === undefined || !/^\d+$/.test(startTime)) return undefined;
    return { id: Number.parseInt(stat, 10), startTime, hasEnded: 'ZXx'.includes(state) && threads <= 1 };
  } catch {
    return undefined;
  }
}
