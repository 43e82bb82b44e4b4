import { field, isRecord, textOf } from '@palimpsest/messages';
import type { PiMessage } from './codec/pi-message.js';
import { isSent } from './codec/read-message.js';

/** Returns the messages of entries of pi's session, as pi makes them of them. Its instructions and what is no message are left out. */
export function messagesIn(entries: readonly unknown[]): readonly PiMessage[] {
  return entries.flatMap((entry) => messageIn(entry) ?? []);
}

/** Returns true if a value is a message of a conversation. pi keeps its instructions among the messages. */
export function isOfConversation(value: unknown): value is PiMessage {
  return isRecord(value) && typeof value['role'] === 'string' && value['role'] !== 'system';
}

/**
 * Returns the index of the entry from which on a compaction of ours keeps what stands there: the newest steps up to a size, and at least the
 * last one. @param from - no entry before it is kept
 */
export function keptFrom(entries: readonly unknown[], from: number, mostCharacters: number): number {
  let characters = 0;
  let kept = from;
  let isFound = false;
  for (let index = entries.length - 1; index >= from; index--) {
    const message = messageIn(entries[index]);
    if (message === undefined) continue;
    characters += JSON.stringify(message).length;
    if (isFound && characters > mostCharacters) break;
    // A result stays with its call.
    if (message.role === 'toolResult' || !isSent(message)) continue;
    kept = index;
    isFound = true;
  }
  return kept;
}

/** Returns the entries before the newest compaction; empty if there is none. */
export function beforeCompaction(entries: readonly unknown[]): readonly unknown[] {
  return entries.slice(
    0,
    Math.max(
      0,
      entries.findLastIndex((entry) => field(entry, 'type') === 'compaction'),
    ),
  );
}

function messageIn(entry: unknown): PiMessage | undefined {
  switch (field(entry, 'type')) {
    case 'message': {
      const message = field(entry, 'message');
      return isOfConversation(message) ? message : undefined;
    }
    case 'custom_message':
      return { ...(entry as object), role: 'custom' };
    case 'branch_summary':
      return { ...(entry as object), role: 'branchSummary' };
    default:
      return undefined;
  }
}

/** Returns the id of an entry. */
export function idOf(entry: unknown): string | undefined {
  return textOf(field(entry, 'id'));
}
