import { EventStoreError } from '@palimpsest/events';
import type { PostgresClient } from './client.js';
import { asStoreError, codeOf, lockNotAvailable } from './store-errors.js';
import { tablesIn } from './tables.js';

/** Options of {@link migrate} and {@link migrationSql}. */
export interface MigrationOptions {
  /** The schema of the tables; made if it does not exist. @defaultValue the first of the connection's search path */
  readonly schema?: string;
}

/** The version of the tables that this package knows. A number that the tables hold: whoever changes them counts on. */
const tablesVersion = 2;

/**
 * Returns the statement that makes the tables, or brings older ones to the present version, for those who keep migrations of their own. It
 * changes nothing where the tables are of that version, so it can be run again, by several processes at once, and while workers run: theirs go
 * on with the newer tables. It is one statement for PostgreSQL 14 and newer. It waits for no lock longer than two seconds, because all
 * appends would wait behind it: if it fails by that, run it again.
 *
 * @throws {@link EventStoreError} when `schema` can be no name.
 */
export function migrationSql(options: MigrationOptions = {}): string {
  const { schema, conversations, events, inbox, rates, version } = tablesIn(options.schema);
  // A body is text and not jsonb: jsonb refuses \\u0000 and halves of surrogate pairs, and writes keys and numbers in its own way. An id
  // is bytea, because text refuses U+0000, and two texts that look the same may be equal.
  return `do $palimpsest$
begin
  perform pg_advisory_xact_lock(hashtextextended('palimpsest migration', 0));
  perform set_config('lock_timeout', '2000', true);
  ${schema === '' ? '' : `create schema if not exists ${schema};\n  `}create table if not exists ${version} (version integer not null);
  if exists (select from ${version} as made where made.version > ${tablesVersion}) then
    raise exception 'The tables are of a newer version than ${tablesVersion}.';
  end if;
  if exists (select from ${version} as made where made.version = ${tablesVersion}) then
    return;
  end if;
  create table if not exists ${conversations} (
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
  alter table ${conversations}
    add column if not exists overview_version bigint not null default 0,
    add column if not exists tenant text,
    add column if not exists status text not null default 'idle',
    add column if not exists active_at timestamptz,
    add column if not exists attempts integer not null default 0,
    add column if not exists input_tokens bigint not null default 0,
    add column if not exists output_tokens bigint not null default 0,
    add column if not exists cost_usd numeric not null default 0,
    add column if not exists bytes bigint not null default 0,
    add column if not exists response integer,
    add column if not exists open_actions integer[] not null default '{}';
  create index if not exists palimpsest_conversations_status on ${conversations} (status, key)
    where status not in ('idle', 'finished');
  create index if not exists palimpsest_conversations_tenant on ${conversations} (tenant, key) where tenant is not null;
  alter table ${inbox} add column if not exists put_at timestamptz not null default now();
  create index if not exists palimpsest_inbox_put_at on ${inbox} (put_at);
  grant select on ${version} to public;
  delete from ${version};
  insert into ${version} (version) values (${tablesVersion});
end
$palimpsest$`;
}

/**
 * Makes the tables of the store, or brings older ones to the present version. Safe to call at every start, while workers of older versions
 * run, and under a role that may make nothing: where the tables are of the present version, it only reads that.
 *
 * @throws {@link EventStoreError} when the tables are of a newer version, when the role may not make them, and when the database refuses.
 */
export async function migrate(client: PostgresClient, options: MigrationOptions = {}): Promise<void> {
  const statement = migrationSql(options);
  for (let tries = 1; ; tries++) {
    const made = await madeVersion(client, options);
    if (made === tablesVersion) return;
    if (made > tablesVersion) throw newerTables(made);
    try {
      await client.query(statement);
      return;
    } catch (error) {
      if (codeOf(error) === insufficientPrivilege) throw notAllowed(made, error);
      // A long statement of others holds a table. Meanwhile the appends behind this one went on.
      if (codeOf(error) !== lockNotAvailable || tries === 60) throw asStoreError('make the tables', error);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

/** The version of the tables; 0 before the first that says its own. */
async function madeVersion(client: PostgresClient, options: MigrationOptions): Promise<number> {
  const { version } = tablesIn(options.schema);
  try {
    const { rows } = await client.query('select to_regclass($1::text)::text as found', [version]);
    if ((rows[0] as { readonly found: string | null }).found === null) return 0;
    const made = await client.query(`select max(version)::text as version from ${version}`);
    return Number((made.rows[0] as { readonly version: string | null }).version);
  } catch (error) {
    throw asStoreError('read the version of the tables', error);
  }
}

const insufficientPrivilege = '42501';

function newerTables(made: number): EventStoreError {
  return new EventStoreError(
    `The tables in PostgreSQL are of version ${made}, and this version of @palimpsest/postgres knows ${tablesVersion}. Update the package.`,
    { isRetryable: false },
  );
}

function notAllowed(made: number, cause: unknown): EventStoreError {
  const found = made === 0 ? 'are missing or of an older version' : `are of version ${made}`;
  return new EventStoreError(
    `The tables in PostgreSQL ${found}, and this role may not make them (${String((cause as Error).message)}). ` +
      'Run migrationSql() once as the owner of the schema.',
    { isRetryable: false, cause },
  );
}
