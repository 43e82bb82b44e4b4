import type { Tables } from './tables.js';

/** The largest number of events, and of conversations, that one statement reads. */
export const pageSize = 1_000;

/** The two locks of a conversation: who writes, and who may append beside them. */
export type LockName = 'writer' | 'gate';

/**
 * Returns the statements of the store for its tables. `$1` is always the id of the conversation, as the hexadecimal of
 * its UTF-8. All columns are text, so that no client's way to read numbers and bytes matters.
 *
 * Whoever opens a conversation for writing takes its `writer` lock, or fails; then waits for its `gate`, exclusively, until the
 * appends under way are done. An append without the right to write takes the `gate`, shared, for its own transaction, or fails.
 */
export function statementsFor({ conversations, events, lockSpace }: Tables) {
  const conversation = `decode($1, 'hex')`;
  // A literal of a string: the schema's name is the application's own, and may hold a quote.
  const space = `'${lockSpace.replaceAll("'", "''")}'`;
  const lock = (name: LockName) => `hashtextextended('palimpsest ${name} ' || ${space} || ' ' || $1, 0)`;

  /** `$2` the number of events, `$3` the expected version or null, `$4` the bodies, `$5` the channel for `pg_notify` or null. */
  const append = (gate: string) => `
with gate as materialized (select ${gate} as is_open),
head as (
  insert into ${conversations} as stored (conversation, version)
  select ${conversation}, $2::bigint from gate
  where is_open and ($3::bigint is null or $3::bigint = 0
    or exists (select from ${conversations} where conversation = ${conversation}))
  on conflict (conversation) do update set version = stored.version + excluded.version
    where $3::bigint is null or stored.version = $3::bigint
  returning key, version
),
appended as (
  insert into ${events} (conversation_key, position, body)
  select head.key, head.version - $2::bigint + line.number - 1, line.body
  from head, unnest($4::text[]) with ordinality as line (body, number)
),
told as materialized (
  select pg_notify($5::text, hashtextextended($1, 0)::text || ':' || version) from head where $5::text is not null
)
select gate.is_open::text as is_open, head.version::text as version, (select count(*) from told)::text as told,
  (select stored.version::text from ${conversations} as stored where conversation = ${conversation}) as seen
from gate left join head on true`;

  /** For an append of nothing. */
  const version = (gate: string) => `
select (${gate})::text as is_open, coalesce((select version from ${conversations} where conversation = ${conversation}), 0)::text as version`;

  const shared = `pg_try_advisory_xact_lock_shared(${lock('gate')})`;
  return {
    append: append(shared),
    version: version(shared),
    /** For the session that holds the locks. */
    writerAppend: append('true'),
    writerVersion: version('true'),
    /**
     * `$2` the first position. The page ends at a position, not at a number of rows: with a limit alone, a plan made without statistics of
     * the tables sorts the whole rest of the conversation for each page. The version says whether there are more pages.
     */
    read: `
select head.version::text as version, event.body
from ${conversations} as head left join ${events} as event
  on event.conversation_key = head.key and event.position >= $2::bigint and event.position < $2::bigint + ${pageSize}
where head.conversation = ${conversation} order by event.position`,
    /** After the conversation `$1`. */
    list: `
select encode(conversation, 'hex') as conversation, version::text as version from ${conversations}
where conversation > ${conversation} and version > 0 order by conversation limit ${pageSize}`,
    takeWriter: `select pg_try_advisory_lock(${lock('writer')})::text as taken`,
    takeGate: `select pg_advisory_lock(${lock('gate')})::text as taken`,
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
  // FNV-1a. Two texts of one name would be refused by the client.
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return `palimpsest_${(hash >>> 0).toString(16)}`;
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
