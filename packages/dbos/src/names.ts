import { createHash } from 'node:crypto';

/** The workflow that a request is, for DBOS and its tools. */
export const workflowName = 'palimpsest-run';

/** The length of a key. */
export const keyLength = 76;

/**
 * Returns the key of a conversation: the beginning of its requests' ids, and the deduplication id of the one that waits. Not the id itself:
 * a text of PostgreSQL holds no U+0000.
 */
export function keyOf(conversationId: string): string {
  return `palimpsest-${createHash('sha256').update(conversationId).digest('hex')}-`;
}

/** Returns the queue of requests that run with nobody beside them. */
export function aloneQueueOf(queue: string): string {
  return `${queue} alone`;
}
