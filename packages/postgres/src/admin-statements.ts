import { overviewColumns, overviewOfNew } from './overview-statement.js';
import { lockKey } from './statements.js';
import type { Tables } from './tables.js';

/** A conversation of a list. */
export interface ConversationRow {
  readonly key: string;
  /** Hexadecimal. */
  readonly conversation: string;
  readonly version: string;
  readonly overviewVersion: string;
  readonly tenant: string | null;
  readonly status: string;
  /** Milliseconds since 1970. */
  readonly activeAt: string | null;
  readonly attempts: string;
  readonly waiting: string;
  readonly inputTokens: string;
  readonly outputTokens: string;
  readonly costUsd: string;
  readonly bytes: string;
}

/** The number of actions that wait for a person. */
const waiting = `case when status = 'waiting-for-confirmation' then cardinality(open_actions) else 0 end`;

/** Returns the statements of those who look after a service. All columns are text. */
export function adminStatementsFor(tables: Tables) {
  const { conversations, events, inbox, rates } = tables;
  const conversation = `decode($1, 'hex')`;
  /** `$1` statuses, `$2` tenant, `$3` waiting, `$4` active before, `$5` active since, `$6` stale. */
  const filter = `
version > 0 and ($1::text[] is null or status = any ($1::text[])) and ($2::text is null or tenant = $2::text)
and ($3::int = 0 or ${waiting} > 0) and ($4::text is null or active_at < $4::text::timestamptz)
and ($5::text is null or active_at >= $5::text::timestamptz) and ($6::int = 0 or overview_version <> version)`;

  /** While it is deleted, nobody may have it open for writing, or append. `$1` is the conversation. */
  const erase = (logCondition: string, messageCondition: string) => `
with held as materialized (
  select pg_try_advisory_xact_lock(${lockKey(tables, 'writer')}) and pg_try_advisory_xact_lock(${lockKey(tables, 'gate')}) as is_free
),
log as (
  delete from ${conversations} as stored using held where is_free and stored.conversation = ${conversation} ${logCondition} returning key
),
its_events as (delete from ${events} using log where conversation_key = log.key),
messages as (
  delete from ${inbox} as message using held where is_free and message.conversation = ${conversation} ${messageCondition} returning 1
)
select is_free::text as "isFree", (select count(*) from log)::text as logs, (select count(*) from messages)::text as messages from held`;

  /** Nobody has written to it since `$2`. */
  const isInactive = `and active_at < $2::text::timestamptz and overview_version = version and not exists (
    select from ${inbox} as waiting where waiting.conversation = stored.conversation and waiting.put_at >= $2::text::timestamptz)`;

  return {
    /** `$7` the key of the last row before, `$8` how many. */
    list: `
select key::text as key, encode(conversation, 'hex') as conversation, version::text as version, overview_version::text as "overviewVersion",
  tenant, status, (extract(epoch from active_at) * 1000)::bigint::text as "activeAt", attempts::text as attempts, (${waiting})::text as waiting,
  input_tokens::text as "inputTokens", output_tokens::text as "outputTokens", cost_usd::text as "costUsd", bytes::text as bytes
from ${conversations} as stored where ${filter} and ($7::text is null or key < $7::text::bigint)
order by stored.key desc limit $8::int`,
    totals: `
select count(*)::text as conversations, sum(${waiting})::text as waiting, sum(input_tokens)::text as "inputTokens",
  sum(output_tokens)::text as "outputTokens", sum(cost_usd)::text as "costUsd", sum(bytes)::text as bytes
from ${conversations} where ${filter}`,
    /** `$1` the conversation, `$2` its version, then what an append has from `$5` on. */
    rebuild: `
update ${conversations} set (${overviewColumns}) = (
  select ${overviewOfNew(3)}
) where conversation = ${conversation} and version = $2::bigint returning key::text as key`,
    erase: erase('', ''),
    eraseInactive: erase(isInactive, 'and exists (select from log)'),
    /** `$1` the time, `$2` the tenant or null, `$3` how many. */
    inactive: `
select encode(conversation, 'hex') as conversation from ${conversations}
where active_at < $1::text::timestamptz and overview_version = version and ($2::text is null or tenant = $2::text)
order by key limit $3::int`,
    eraseRates: `delete from ${rates} where name = any ($1::text[])`,
    /** Nothing is used of them any more. `$1` in milliseconds. */
    eraseInactiveRates: `
delete from ${rates} where greatest(seen_at, moment, closed_until, (select max(used) from unnest(full_at) as used)) < $1::float8`,
  };
}
