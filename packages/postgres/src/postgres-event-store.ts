import {
  ConversationBusyError,
  EventStoreError,
  WriterOustedError,
  assertConversationId,
  assertReadFrom,
  eventReading,
} from '@palimpsest/events';
import type { ConversationWriter, Event, EventStore } from '@palimpsest/events';
import { preparedAppend, runAppend } from './appends.js';
import type { PreparedAppend } from './appends.js';
import type { PostgresClient, PostgresSession } from './client.js';
import { assertLease } from './leased-session.js';
import { LockSession } from './lock-session.js';
import type { HeldLocks } from './lock-session.js';
import type { PostgresLive } from './postgres-live.js';
import { SessionCheck } from './session-check.js';
import { conversations, pages } from './reading.js';
import type { Page } from './reading.js';
import { statementsFor } from './statements.js';
import type { Statements } from './statements.js';
import { codeOf } from './store-errors.js';
import { tablesIn } from './tables.js';

/** Options of {@link postgresEventStore}. */
export interface PostgresEventStoreOptions {
  /** Runs the statements. A pool, so that conversations do not wait for each other. The caller ends it. */
  readonly client: PostgresClient;
  /**
   * Opens a connection of its own for the right to write: `connectionsBeside(pool)` for `pg`. `() => pool.connect()` takes it out of the
   * pool, which then needs more than `writerConnections`. Without it, as on PGlite, the store has no `openForWriting`, and `expectedVersion`
   * alone keeps two writers apart. @defaultValue none
   */
  readonly connect?: () => Promise<PostgresSession>;
  /** Over how many such connections the open conversations are spread: their appends wait for each other on one. @defaultValue 4 */
  readonly writerConnections?: number;
  /**
   * Gives the appends of writers a name, so that the server plans them once for each connection, which is most of its work for an append. Only
   * where `connect` gives what takes `query({ name, text, values })`, as `pg` does. @defaultValue true with `connectionsBeside`, else false
   */
  readonly namedStatements?: boolean;
  /**
   * The time for which the server keeps the right to write of a process that it hears nothing of. A process that lives
   * is heard of three times in this time. Unit: milliseconds. @defaultValue 30000
   */
  readonly leaseMs?: number;
  /** The schema of the tables, as in `migrate`. @defaultValue the search path's */
  readonly schema?: string;
  /** Told of each append, for those who follow conversations in other processes. @defaultValue they look now and then */
  readonly live?: PostgresLive;
  /** To whom a conversation belongs: the column `tenant`, for lists and sums. @defaultValue it stays empty */
  readonly tenantOf?: (conversationId: string) => string | undefined;
  /** A log that is larger is not read: the limit protects the memory of the reader. Unit: bytes. @defaultValue 134217728 */
  readonly maxLogBytes?: number;
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
  const { client, connect, writerConnections = 4, leaseMs = 30_000, namedStatements } = options;
  assertLease(leaseMs);
  if (!Number.isSafeInteger(writerConnections) || writerConnections < 1) {
    throw new EventStoreError(
      `writerConnections is ${String(writerConnections)}; it has to be a whole number, 1 or more.`,
    );
  }
  const { maxLogBytes = 134_217_728 } = options;
  if (!(maxLogBytes > 0)) throw new EventStoreError(`maxLogBytes is ${String(maxLogBytes)}; it has to be above 0.`);
  const statements = statementsFor(tablesIn(options.schema));
  const prepared: Prepare = (conversationId, events, expectedVersion) =>
    preparedAppend(conversationId, events, expectedVersion, tenantFor(conversationId, options.tenantOf));
  const told = (conversationId: string, version: number) => options.live?.appended(conversationId, version);
  const store: EventStore = {
    async append(conversationId, events, { expectedVersion } = {}) {
      assertConversationId(conversationId);
      const appended = await runAppend(client, prepared(conversationId, events, expectedVersion), statements);
      if (events.length > 0) told(conversationId, appended.version);
      return appended;
    },
    read(conversationId, { from = 0, signal } = {}) {
      assertConversationId(conversationId);
      assertReadFrom(from);
      const reading = { client, statements, maxLogBytes };
      return eventReading(() => batches(pages(reading, conversationId, from, signal)), signal);
    },
    list: () => conversations(client, statements),
  };
  if (connect === undefined) return store;

  const check = new SessionCheck(client, writerConnections);
  const sessions = Array.from(
    { length: writerConnections },
    () => new LockSession({ connect, statements, leaseMs, check }),
  );
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
        const session = locks.client(namedStatements);
        const parts = { conversationId, locks, session, statements, prepared, told };
        return writerOf(parts, () => open.delete(conversationId));
      } catch (error) {
        open.delete(conversationId);
        throw error;
      }
    },
  };
}

async function* batches(read: AsyncIterable<Page>): AsyncGenerator<readonly Event[]> {
  for await (const { events } of read) yield events;
}

function leastUsed(sessions: readonly LockSession[]): LockSession {
  return sessions.reduce((least, session) => (session.users < least.users ? session : least));
}

type Prepare = (conversationId: string, events: readonly Event[], expectedVersion?: number) => PreparedAppend;

/** @throws {@link EventStoreError} when a tenant can be none. */
function tenantFor(conversationId: string, tenantOf: PostgresEventStoreOptions['tenantOf']): string | undefined {
  const tenant = tenantOf?.(conversationId);
  if (tenant === undefined || (tenant.length <= 512 && tenant.isWellFormed() && !tenant.includes('\0'))) return tenant;
  throw new EventStoreError(`The tenant of '${conversationId}' can be none: up to 512 characters without U+0000.`);
}

interface WriterParts {
  readonly conversationId: string;
  readonly locks: HeldLocks;
  /** Runs statements in the session that holds the locks. */
  readonly session: PostgresClient;
  readonly statements: Statements;
  readonly prepared: Prepare;
  readonly told: (conversationId: string, version: number) => void;
}

function writerOf(
  { conversationId, locks, session, statements, prepared, told }: WriterParts,
  onClose: () => void,
): ConversationWriter {
  const { writerAppend, writerVersion } = statements;
  let last: Promise<unknown> = Promise.resolve();
  let closed: Promise<void> | undefined;
  const append = async (one: PreparedAppend) => {
    if (locks.areLost) throw new WriterOustedError(conversationId);
    try {
      return await runAppend(session, one, { append: writerAppend, version: writerVersion }, locks.pid);
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
      const one = prepared(conversationId, events, expectedVersion);
      const appending = last.then(() => append(one));
      last = appending.catch(() => undefined);
      const appended = await appending;
      if (events.length > 0) told(conversationId, appended.version);
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
