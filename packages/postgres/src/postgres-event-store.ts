import {
  ConversationBusyError,
  EventStoreError,
  WriterOustedError,
  adoptEvent,
  assertConversationId,
  assertReadFrom,
  eventReading,
} from '@palimpsest/events';
import type { ConversationWriter, Event, EventStore } from '@palimpsest/events';
import { preparedAppend, runAppend } from './appends.js';
import type { PostgresClient, PostgresSession } from './client.js';
import { assertLease } from './leased-session.js';
import { LockSession } from './lock-session.js';
import type { HeldLocks } from './lock-session.js';
import { conversationOf, hexOf, pageSize, statementsFor } from './statements.js';
import type { Statements } from './statements.js';
import { asStoreError, codeOf } from './store-errors.js';
import { tablesIn } from './tables.js';

/** Options of {@link postgresEventStore}. */
export interface PostgresEventStoreOptions {
  /** Runs the statements. A pool, so that conversations do not wait for each other. The caller ends it. */
  readonly client: PostgresClient;
  /**
   * Opens a connection of its own for the right to write: `() => pool.connect()`. Without it, as on PGlite, the store has no
   * `openForWriting`, and `expectedVersion` alone keeps two writers apart. @defaultValue none
   */
  readonly connect?: () => Promise<PostgresSession>;
  /** Over how many such connections the open conversations are spread: their appends wait for each other on one. @defaultValue 4 */
  readonly writerConnections?: number;
  /**
   * Gives the appends of writers a name, so that the server plans them once for each connection, which is most of its work for an append. Only
   * where `connect` gives what takes `query({ name, text, values })`, as `pg` does. @defaultValue false
   */
  readonly namedStatements?: boolean;
  /**
   * The time for which the server keeps the right to write of a process that it hears nothing of. A process that lives
   * is heard of three times in this time. Unit: milliseconds. @defaultValue 30000
   */
  readonly leaseMs?: number;
  /** The schema of the tables, as in `migrate`. @defaultValue the search path's */
  readonly schema?: string;
  /**
   * A channel to `NOTIFY` at each append: `HASH:VERSION`, where HASH is `hashtextextended(encode(id, 'hex'), 0)` of the conversation's id
   * in UTF-8. @defaultValue none
   */
  readonly notify?: string;
}

/**
 * Returns an {@link EventStore} on PostgreSQL 14 or newer: any number of processes on any number of machines. One
 * append is one statement.
 *
 * Make the tables first: `migrate(client)`.
 *
 * @throws {@link EventStoreError} when an option is not valid.
 * @see docs of the package for the tables, the lease and poolers
 */
export function postgresEventStore(options: PostgresEventStoreOptions): EventStore {
  const { client, connect, writerConnections = 4, leaseMs = 30_000, notify, namedStatements = false } = options;
  assertLease(leaseMs);
  if (!Number.isSafeInteger(writerConnections) || writerConnections < 1) {
    throw new EventStoreError(
      `writerConnections is ${String(writerConnections)}; it has to be a whole number, 1 or more.`,
    );
  }
  const statements = statementsFor(tablesIn(options.schema));
  const store: EventStore = {
    async append(conversationId, events, { expectedVersion } = {}) {
      assertConversationId(conversationId);
      return runAppend(client, preparedAppend(conversationId, events, expectedVersion), statements, notify);
    },
    read(conversationId, { from = 0, signal } = {}) {
      assertConversationId(conversationId);
      assertReadFrom(from);
      return eventReading(() => pages(client, statements, conversationId, from, signal), signal);
    },
    list: () => conversations(client, statements),
  };
  if (connect === undefined) return store;

  const sessions = Array.from({ length: writerConnections }, () => new LockSession({ connect, statements, leaseMs }));
  // The server lets one session take a lock twice, so the conversations of this store are kept apart here.
  const open = new Set<string>();
  return {
    ...store,
    async openForWriting(conversationId) {
      assertConversationId(conversationId);
      if (open.has(conversationId)) throw new ConversationBusyError({ conversationId, holder: 'this process' });
      open.add(conversationId);
      try {
        const locks = await leastUsed(sessions).lock(conversationId);
        const session = namedStatements ? locks.namingClient : locks.client;
        return writerOf({ conversationId, locks, session, statements, notify }, () => open.delete(conversationId));
      } catch (error) {
        open.delete(conversationId);
        throw error;
      }
    },
  };
}

function leastUsed(sessions: readonly LockSession[]): LockSession {
  return sessions.reduce((least, session) => (session.users < least.users ? session : least));
}

interface WriterParts {
  readonly conversationId: string;
  readonly locks: HeldLocks;
  /** Runs statements in the session that holds the locks. */
  readonly session: PostgresClient;
  readonly statements: Statements;
  readonly notify: string | undefined;
}

function writerOf(
  { conversationId, locks, session, statements, notify }: WriterParts,
  onClose: () => void,
): ConversationWriter {
  const { writerAppend, writerVersion } = statements;
  let last: Promise<unknown> = Promise.resolve();
  let closed: Promise<void> | undefined;
  const append = async (prepared: ReturnType<typeof preparedAppend>) => {
    if (locks.areLost) throw new WriterOustedError(conversationId);
    try {
      return await runAppend(session, prepared, { append: writerAppend, version: writerVersion }, notify);
    } catch (error) {
      if (isOfServer(error)) throw error;
      // Whether the events were stored is not known, and the right to write is gone with the connection.
      locks.lose();
      throw error;
    }
  };
  return {
    async append(events, { expectedVersion } = {}) {
      if (closed !== undefined) throw new EventStoreError(`The writer of '${conversationId}' is closed.`);
      const prepared = preparedAppend(conversationId, events, expectedVersion);
      const appended = last.then(() => append(prepared));
      last = appended.catch(() => undefined);
      return appended;
    },
    close() {
      closed ??= last.then(() => locks.giveUp()).finally(onClose);
      return closed;
    },
  };
}

/** The server answered, and the session goes on. Class 57P: it ended the session (57P05: the lease was over). */
function isOfServer(error: unknown): boolean {
  if (!EventStoreError.isInstance(error)) return true;
  const code = codeOf(error.cause);
  return code !== undefined && !code.startsWith('57P') && !code.startsWith('08');
}

async function* pages(
  client: PostgresClient,
  { read }: Statements,
  conversationId: string,
  from: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Event[]> {
  const id = hexOf(conversationId);
  for (let next = from; ;) {
    signal?.throwIfAborted();
    const { rows } = await client.query(read, [id, next]).catch((error: unknown) => {
      throw asStoreError(`read '${conversationId}'`, error);
    });
    signal?.throwIfAborted();
    const page = rows as readonly StoredEvent[];
    const events: Event[] = [];
    let failure: EventStoreError | undefined;
    for (const { body } of page) {
      // The page is empty: one row says so.
      if (body === null) break;
      try {
        events.push(adoptEvent(JSON.parse(body)));
      } catch (cause) {
        failure = unreadable(conversationId, next + events.length, cause);
        break;
      }
    }
    if (events.length > 0) yield events;
    if (failure !== undefined) throw failure;
    next += pageSize;
    if (next >= Number(page[0]?.version ?? 0)) return;
  }
}

interface StoredEvent {
  /** Of the conversation. */
  readonly version: string;
  readonly body: string | null;
}

function unreadable(conversationId: string, position: number, cause: unknown): EventStoreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new EventStoreError(`Event ${position} of '${conversationId}' in PostgreSQL cannot be read: ${reason}`, {
    cause,
  });
}

async function* conversations(
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
