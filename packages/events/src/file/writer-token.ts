import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { ownStartTime, processLife } from './process-life.js';
import type { ProcessLife } from './process-life.js';

/** Names writers, and says of another one whether its process lives. */
export interface WriterTokens {
  /** A name that no other writer has, and that says whose it is. */
  create(): string;
  /** `unseen`: it is on another machine, in another container, or its system does not tell; its heartbeat says more. */
  lifeOf(token: string): ProcessLife;
}

/**
 * The names of writers in this process: `<process id>.<where its id means something>.<when it began>.<random>`. A process id
 * means something to those who share the machine's boot and the process namespace, so two containers never judge each other.
 *
 * @param machineId - stands for the machine's boot and the process namespace, where those do not tell machines apart
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

/** The part of a name that has nothing to do with its process: by it writers are put into an order that favours nobody. */
export function orderOf(token: string): string {
  return token.slice(token.lastIndexOf('.') + 1);
}

/** Who a token says it is, for a message. */
export function describeToken(token: string): string {
  return /^\d+\./.test(token) ? `process ${token.split('.')[0]}` : `'${token}'`;
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
