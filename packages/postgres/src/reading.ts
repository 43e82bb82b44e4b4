import { EventStoreError, LogTooLargeError, adoptEvent } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { PostgresClient } from './client.js';
import { conversationOf, hexOf, pageBytes, pageSize } from './statements.js';
import type { Statements } from './statements.js';
import { asStoreError } from './store-errors.js';

/** Options of a reading. */
export interface Reading {
  readonly client: PostgresClient;
  readonly statements: Statements;
  /** Unit: bytes. */
  readonly maxLogBytes: number;
}

/** Events as they are stored. */
export interface Page {
  readonly events: readonly Event[];
  readonly bodies: readonly string[];
}

/**
 * Yields the events of a conversation, page by page.
 *
 * @throws {@link LogTooLargeError}; {@link EventStoreError} when an event cannot be read or is missing, after the events before it.
 */
export async function* pages(
  { client, statements, maxLogBytes }: Reading,
  conversationId: string,
  from: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Page> {
  const id = hexOf(conversationId);
  let bytes = 0;
  for (let next = from; ;) {
    signal?.throwIfAborted();
    const { rows } = await client.query(statements.read, [id, next]).catch((error: unknown) => {
      throw asStoreError(`read '${conversationId}'`, error);
    });
    signal?.throwIfAborted();
    const page = rows as readonly StoredEvent[];
    const [first] = page;
    const version = Number(first?.version ?? 0);
    const size = page.reduce((sum, { bytes: one }) => sum + Number(one ?? 0), 0);
    bytes += size;
    if (bytes > maxLogBytes) throw new LogTooLargeError({ conversationId, maxBytes: maxLogBytes });
    const { events, failure } = readPage(conversationId, next, page);
    if (events.length > 0) yield { events, bodies: page.map(({ body }) => body ?? '') };
    if (failure !== undefined) throw failure;
    next += events.length;
    const isWhole = size >= pageBytes || events.length === pageSize || next >= version;
    if (!isWhole) throw unreadable(conversationId, next, 'it is missing.');
    if (next >= version) return;
  }
}

/** Reads the events of a page, up to the first that cannot be read or is missing. */
function readPage(
  conversationId: string,
  from: number,
  page: readonly StoredEvent[],
): { readonly events: readonly Event[]; readonly failure?: EventStoreError } {
  const events: Event[] = [];
  for (const { position, body } of page) {
    // The page is empty: one row says so.
    if (body === null) break;
    const expected = from + events.length;
    if (Number(position) !== expected)
      return { events, failure: unreadable(conversationId, expected, 'it is missing.') };
    try {
      events.push(adoptEvent(JSON.parse(body)));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      return { events, failure: unreadable(conversationId, expected, reason, cause) };
    }
  }
  return { events };
}

interface StoredEvent {
  /** Of the conversation. */
  readonly version: string;
  readonly position: string | null;
  readonly bytes: string | null;
  readonly body: string | null;
}

function unreadable(conversationId: string, position: number, reason: string, cause?: unknown): EventStoreError {
  const message = `Event ${position} of '${conversationId}' in PostgreSQL cannot be read: ${reason}`;
  return new EventStoreError(message, { isRetryable: false, cause });
}

/** Yields all conversations with an event. */
export async function* conversations(
  client: PostgresClient,
  { list }: Statements,
): AsyncGenerator<{ readonly conversationId: string; readonly version: number }> {
  for (let after = ''; ;) {
    const { rows } = await client.query(list, [after]).catch((error: unknown) => {
      throw asStoreError('list the conversations', error);
    });
    for (const row of rows as readonly { readonly conversation: string; readonly version: string }[]) {
      after = row.conversation;
      yield { conversationId: conversationOf(row.conversation), version: Number(row.version) };
    }
    if (rows.length < pageSize) return;
  }
}
