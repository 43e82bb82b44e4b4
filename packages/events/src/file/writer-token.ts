import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { errorCode } from './file-system-error.js';

/** Names writers, and says of another one whether its process is gone. */
export interface WriterTokens {
  /** A name that no other writer has, and that says whose it is. */
  create(): string;
  /** True when the process of this name is certainly gone. False also means: cannot be seen from here. */
  isDead(token: string): boolean;
}

/**
 * The names of writers in this process: `<process id>.<where its id means something>.<random>`. A process id means something
 * to those who share the machine's boot and the process namespace, so two containers never judge each other.
 */
export function writerTokens(): WriterTokens {
  const place = createHash('sha256')
    .update([hostname(), readOr('', bootId), readOr('', processNamespace)].join('\n'))
    .digest('hex')
    .slice(0, 16);
  return {
    create: () => `${pid}.${place}.${randomUUID()}`,
    isDead: (token) => {
      const [ownerPid, ownerPlace] = token.split('.');
      return ownerPlace === place && !processExists(Number(ownerPid));
    },
  };
}

/** Who a token says it is, for a message. */
export function describeToken(token: string): string {
  return /^\d+\./.test(token) ? `process ${token.split('.')[0]}` : `'${token}'`;
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
