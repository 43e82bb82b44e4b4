import { ConcurrencyError, ConversationBusyError, EventStoreError } from './errors.js';
import type { Event } from './event.js';
import { assertConversationId, assertExpectedVersion, assertReadFrom, eventReading } from './event-store.js';
import type { EventStore } from './event-store.js';
import { parseEvent } from './parse-event.js';

/** Returns an {@link EventStore} that keeps everything in memory and nothing beyond the process. */
export function memoryEventStore(): EventStore {
  const conversations = new Map<string, Event[]>();
  const openForWriting = new Set<string>();

  const append = (conversationId: string, events: readonly Event[], expectedVersion: number | undefined) => {
    assertExpectedVersion(expectedVersion);
    const stored = conversations.get(conversationId) ?? [];
    if (expectedVersion !== undefined && expectedVersion !== stored.length) {
      throw new ConcurrencyError({ conversationId, expectedVersion, actualVersion: stored.length });
    }
    // All are checked before the first is stored.
    for (const event of events.map((event) => parseEvent(event))) stored.push(event);
    if (stored.length > 0) conversations.set(conversationId, stored);
    return { version: stored.length };
  };
  const assertNobodyWrites = (conversationId: string) => {
    if (openForWriting.has(conversationId)) throw new ConversationBusyError({ conversationId });
  };

  return {
    async append(conversationId, events, options) {
      assertConversationId(conversationId);
      assertNobodyWrites(conversationId);
      return append(conversationId, events, options?.expectedVersion);
    },
    async openForWriting(conversationId) {
      assertConversationId(conversationId);
      assertNobodyWrites(conversationId);
      openForWriting.add(conversationId);
      let isOpen = true;
      return {
        async append(events, options) {
          if (!isOpen) throw new EventStoreError(`The writer of '${conversationId}' is closed.`);
          return append(conversationId, events, options?.expectedVersion);
        },
        async close() {
          if (isOpen) openForWriting.delete(conversationId);
          isOpen = false;
        },
      };
    },
    read(conversationId, { from = 0, signal } = {}) {
      assertConversationId(conversationId);
      assertReadFrom(from);
      return eventReading(async function* () {
        const events = conversations.get(conversationId)?.slice(from) ?? [];
        signal?.throwIfAborted();
        if (events.length > 0) yield events;
      }, signal);
    },
    async *list() {
      for (const [conversationId, stored] of [...conversations]) yield { conversationId, version: stored.length };
    },
  };
}
