import { EventStoreError } from '@palimpsest/events';
import type pg from 'pg';
import { answerMs, within } from './answers.js';

/** The version of DBOS's tables that has all that the statements here name. */
const dbosVersion = 115;

/** The version of the tables of its own. */
const ownVersion = 1;

/**
 * The tables beside those of DBOS. All of them are empty while nothing goes wrong, but for `workers`, with a row for each live worker, and
 * `turns`, with one for each tenant.
 */
const own = `do $palimpsest$
begin
  perform pg_advisory_xact_lock(hashtextextended('palimpsest dbos tables of its own', 0));
  create schema if not exists palimpsest_dbos;
  create table if not exists palimpsest_dbos.workers (
    id text primary key,
    queue text not null,
    is_stopping boolean not null default false
  );
  -- A worker that died while it ran a conversation. One that comes back takes its rows out again.
  create table if not exists palimpsest_dbos.deaths (
    queue text not null,
    conversation text not null,
    worker text not null,
    had_result_since boolean not null default false,
    at timestamptz not null default now(),
    primary key (queue, conversation, worker)
  );
  create index if not exists deaths_worker on palimpsest_dbos.deaths (worker);
  create table if not exists palimpsest_dbos.failures (
    queue text not null,
    conversation text not null,
    reason text not null,
    provider text,
    failures int not null,
    since timestamptz not null default now(),
    primary key (queue, conversation)
  );
  create index if not exists failures_provider on palimpsest_dbos.failures (queue, provider);
  create table if not exists palimpsest_dbos.dead_letters (
    queue text not null,
    conversation text not null,
    -- As JSON: a text holds no U+0000.
    conversation_id text not null,
    reason text not null,
    explanation text not null,
    at timestamptz not null default now(),
    primary key (queue, conversation)
  );
  create table if not exists palimpsest_dbos.outages (
    queue text not null,
    provider text not null,
    failures int not null,
    retry_at timestamptz not null,
    probe text,
    probe_until timestamptz,
    primary key (queue, provider)
  );
  create table if not exists palimpsest_dbos.turns (
    queue text not null,
    tenant text not null,
    turn int not null,
    primary key (queue, tenant)
  );
  create index if not exists turns_turn on palimpsest_dbos.turns (queue, turn);
  create table if not exists palimpsest_dbos.version (version int primary key);
  insert into palimpsest_dbos.version values (${ownVersion}) on conflict do nothing;
end
$palimpsest$`;

/** Makes the tables, unless they exist: so a role that may not make any needs them made before. */
export async function makeTables(database: {
  readonly url: string;
  readonly connect: () => Promise<pg.Client>;
}): Promise<void> {
  const client = await database.connect();
  try {
    if (await within(answerMs, isMade(client), 'whether its tables are there')) return;
    // One process at a time: two that make DBOS's tables at once disturb each other. Asked again and again: DBOS makes indexes
    // concurrently, and those wait for each statement that is under way, one that waits for this lock included.
    while (!(await tryLock(client))) await new Promise((resolve) => setTimeout(resolve, 100));
    if (await isMade(client)) return;
    // Loaded only where there is something to make.
    const { migrateSystemDatabase } = await import('@dbos-inc/dbos-sdk/internal/system_database');
    const { GlobalLogger } = await import('@dbos-inc/dbos-sdk/internal/telemetry/logs');
    const silent = { info: nothing, debug: nothing, warn: nothing, error: nothing };
    await migrateSystemDatabase(database.url, new GlobalLogger(undefined, { logger: silent }));
    await client.query(own);
  } catch (error) {
    throw (error as { readonly code?: string }).code === insufficientPrivilege ? notAllowed(error) : error;
  } finally {
    // The lock ends with its session. Nobody waits for the goodbye of a server that is silent.
    void client.end().catch(() => undefined);
  }
}

const insufficientPrivilege = '42501';

function notAllowed(cause: unknown): EventStoreError {
  return new EventStoreError(
    `The tables of the runner are missing, or this role may not use them (${String((cause as Error).message)}). ` +
      'Run `npx palimpsest-dbos migrate` once as the owner of the database, and grant the role what the README of the package names.',
    { isRetryable: false, cause },
  );
}

function nothing(): void {
  // What fails is thrown.
}

async function isMade(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ made: boolean }>(
    `select to_regclass('dbos.dbos_migrations') is not null and to_regclass('palimpsest_dbos.version') is not null as made`,
  );
  if (rows[0]?.made !== true) return false;
  const { rows: versions } = await client.query<{ dbos: string; own: number | null }>(
    `select (select max(version) from dbos.dbos_migrations) as dbos, (select max(version) from palimpsest_dbos.version) as own`,
  );
  const { dbos, own: made } = versions[0] ?? { dbos: '0', own: null };
  if (made !== null && made > ownVersion) {
    throw new EventStoreError(
      `The tables in the schema palimpsest_dbos are of version ${made}, and this version of @palimpsest/dbos knows ${ownVersion}. Update the package.`,
      { isRetryable: false },
    );
  }
  return Number(dbos) >= dbosVersion;
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('palimpsest dbos tables', 0)) as taken`,
  );
  return rows[0]?.taken === true;
}
