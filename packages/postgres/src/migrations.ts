import type { PostgresClient } from './client.js';
import { asStoreError } from './store-errors.js';
import { tablesIn } from './tables.js';

/** Options of {@link migrate} and {@link migrationSql}. */
export interface MigrationOptions {
  /** The schema of the tables; made if it does not exist. @defaultValue the first of the connection's search path */
  readonly schema?: string;
}

/**
 * Returns the statement that makes the tables, for those who keep migrations of their own. It changes nothing where the
 * tables exist, so it can be run again, and by several processes at once. It is one statement for PostgreSQL 14 and
 * newer.
 *
 * @throws {@link EventStoreError} when `schema` can be no name.
 */
export function migrationSql(options: MigrationOptions = {}): string {
  const { schema, conversations, events, inbox, rates } = tablesIn(options.schema);
  // A body is text and not jsonb: jsonb refuses \\u0000 and halves of surrogate pairs, and writes keys and numbers in its own way. An id
  // is bytea, because text refuses U+0000, and two texts that look the same may be equal.
  return `do $palimpsest$
begin
  perform pg_advisory_xact_lock(hashtextextended('palimpsest migration', 0));
  ${schema === '' ? '' : `create schema if not exists ${schema};\n  `}create table if not exists ${conversations} (
    key bigint generated always as identity primary key,
    conversation bytea not null unique,
    version bigint not null
  );
  create table if not exists ${events} (
    conversation_key bigint not null references ${conversations} (key),
    position bigint not null,
    body text not null,
    primary key (conversation_key, position)
  );
  create table if not exists ${inbox} (
    position bigint generated always as identity,
    conversation bytea not null,
    id text not null,
    content text not null,
    primary key (conversation, id)
  );
  create table if not exists ${rates} (
    name text primary key,
    seen_at float8 not null,
    moment float8 not null,
    closed_until float8 not null,
    full_at float8[] not null
  );
end
$palimpsest$`;
}

/**
 * Makes the tables of the store, unless they exist. Safe to call at every start.
 *
 * @throws {@link EventStoreError} when the database refuses.
 */
export async function migrate(client: PostgresClient, options: MigrationOptions = {}): Promise<void> {
  const statement = migrationSql(options);
  await client.query(statement).catch((error: unknown) => {
    throw asStoreError('make the tables', error);
  });
}
