import { hashOf } from './hash.js';
import { overviewColumns, overviewOfChanged, overviewOfNew, overviewParameters } from './overview-statement.js';
import type { Tables } from './tables.js';

/** The largest number of events, and of conversations, that one statement reads. */
export const pageSize = 1_000;

/** A page of events ends with the one that reaches this size. Unit: bytes. */
export const pageBytes = 16_777_216;

/** The two locks of a conversation: who writes, and who may append beside them. */
export type LockName = 'writer' | 'gate';

/** Returns the key of a lock of the conversation `$1`. */
export function lockKey({ lockSpace }: Tables, name: LockName): string {
  // A literal of a string: the schema's name is the application's own, and may hold a quote.
  const space = `'${lockSpace.replaceAll("'", "''")}'`;
  return `hashtextextended('palimpsest ${name} ' || ${space} || ' ' || $1, 0)`;
}

/**
 * Returns the statements of the store for its tables. `$1` is always the id of the conversation, as the hexadecimal of
 * its UTF-8. All columns are text, so that no client's way to read numbers and bytes matters.
 *
 * Whoever opens a conversation for writing takes its `writer` lock, or fails; then waits for its `gate`, exclusively, until the
 * appends under way are done. An append without the right to write takes the `gate`, shared, for its own transaction, or fails.
 */
export function statementsFor(tables: Tables) {
  const { conversations, events } = tables;
  const conversation = `decode($1, 'hex')`;
  const lock = (name: LockName) => lockKey(tables, name);

  /**
   * `$2` the number of events, `$3` the expected version or null, `$4` the bodies, from `$5` on the change of the overview. The overview is
   * brought up to date with its append, or stays behind if it was behind before.
   */
  const append = (gate: string) => `
with gate as materialized (select ${gate} as is_open),
head as (
  insert into ${conversations} as stored (conversation, version, ${overviewColumns})
  select ${conversation}, $2::bigint, ${overviewOfNew()} from gate
  where is_open and ($3::bigint is null or $3::bigint = 0
    or exists (select from ${conversations} where conversation = ${conversation}))
  on conflict (conversation) do update set version = stored.version + excluded.version, ${overviewOfChanged()}
    where $3::bigint is null or stored.version = $3::bigint
  returning key, version
),
appended as (
  insert into ${events} (conversation_key, position, body)
  select head.key, head.version - $2::bigint + line.number - 1, line.body
  from head, unnest($4::text[]) with ordinality as line (body, number)
)
select gate.is_open::text as is_open, head.version::text as version,
  (select stored.version::text from ${conversations} as stored where conversation = ${conversation}) as seen
from gate left join head on true`;

  /** For an append of nothing. */
  const version = (gate: string) => `
select (${gate})::text as is_open, coalesce((select version from ${conversations} where conversation = ${conversation}), 0)::text as version`;

  const shared = `pg_try_advisory_xact_lock_shared(${lock('gate')})`;
  return {
    append: append(shared),
    version: version(shared),
    /** For the session that holds the locks; the last parameter is its process, so that no other session stores anything. */
    writerAppend: append(`pg_backend_pid()::text = $${5 + overviewParameters}::text`),
    writerVersion: version('pg_backend_pid()::text = $2::text'),
    /**
     * `$2` the first position. The page ends at a position, not at a number of rows: with a limit alone, a plan made without statistics of
     * the tables sorts the whole rest of the conversation for each page. It ends before that, where its bodies are large. The version says
     * whether there are more pages.
     */
    read: `
select head.version::text as version, event.position::text as position, event.bytes::text as bytes, event.body
from ${conversations} as head left join lateral (
  select position, body, octet_length(body) as bytes,
    sum(octet_length(body)) over (order by position rows unbounded preceding) - octet_length(body) as before
  from ${events} where conversation_key = head.key and position >= $2::bigint and position < $2::bigint + ${pageSize}
) as event on event.before < ${pageBytes}
where head.conversation = ${conversation} order by event.position`,
    /** After the conversation `$1`. */
    list: `
select encode(conversation, 'hex') as conversation, version::text as version from ${conversations}
where conversation > ${conversation} and version > 0 order by conversation limit ${pageSize}`,
    takeWriter: `select pg_try_advisory_lock(${lock('writer')})::text as taken`,
    takeGate: `select pg_advisory_lock(${lock('gate')})::text as taken`,
    giveUpWriter: `select pg_advisory_unlock(${lock('writer')})::text as writer`,
    giveUp: `select pg_advisory_unlock(${lock('gate')})::text as gate, pg_advisory_unlock(${lock('writer')})::text as writer`,
    /** The holder of the `writer` lock. A bigint key is stored in two halves. */
    holder: `
select activity.pid::text as pid, activity.application_name as name from pg_locks as lock
join pg_stat_activity as activity on activity.pid = lock.pid
where lock.locktype = 'advisory' and lock.objsubid = 1 and lock.granted
  and ((lock.classid::bigint << 32) | lock.objid::bigint) = ${lock('writer')} limit 1`,
  };
}

/** The statements of {@link statementsFor}. */
export type Statements = ReturnType<typeof statementsFor>;

/**
 * Returns a name for a statement: by its text, because a connection serves stores of several schemas, and versions of
 * this package.
 */
export function statementName(text: string): string {
  // Two texts of one name would be refused by the client.
  return `palimpsest_${hashOf(text).toString(16)}`;
}

/** Returns an id as the statements take it. */
export function hexOf(conversationId: string): string {
  return Array.from(new TextEncoder().encode(conversationId), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the id of {@link hexOf}. */
export function conversationOf(hex: string): string {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
