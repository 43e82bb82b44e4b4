import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { ownStartTime, processLife } from './process-life.js';
import type { ProcessLife } from './process-life.js';

/** Creates names for writers and checks whether the process of another writer lives. */
export interface WriterTokens {
  /** A unique name that identifies its writer. */
  create(): string;
  /**
   * `unseen`: the writer is on another machine, in another container, or on a system without process data. Its heartbeat must
   * be checked.
   */
  lifeOf(token: string): ProcessLife;
}

/**
 * The names of writers in this process: `<process id>.<scope of the id>.<start time>.<random>`. A process id is valid only in
 * the same boot and process namespace, so two containers never judge each other's processes.
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

/** The random part of a name. It gives the writers an order that is independent of their processes. */
export function orderOf(token: string): string {
  return token.slice(token.lastIndexOf('.') + 1);
}

/** True for the name of a writer. Other programs leave files of their own in any folder: `.DS_Store`, `.nfs…`, an editor's copy. */
export function isToken(name: string): boolean {
  return /^\d+\.\w+\.\w+\.[\w-]+$/.test(name);
}

/** The description of a token's writer, for a message. */
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
