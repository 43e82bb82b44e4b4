import type pg from 'pg';

/** The messages that a chaos run has put in. */
export interface ChaosInput {
  readonly name: string;
  /** The prefix of the conversations that end their worker. */
  readonly poison: string;
}

/** An invariant, and what breaks it: nothing may. */
export interface Finding {
  readonly invariant: string;
  readonly broken: number;
}

/** Copies the events of the run into a table with the indexes that the checks read by: `event`. */
async function copyEvents(pool: pg.Pool, name: string): Promise<void> {
  await pool.query('drop table if exists event');
  await pool.query(
    `create table event as
     select convert_from(conversation.conversation, 'utf8') as conversation, conversation.version, stored.position,
       stored.body::jsonb ->> 'type' as type, stored.body::jsonb ->> 'id' as id, stored.body::jsonb ->> 'actionId' as action,
       stored.body::jsonb ->> 'key' as key, stored.body::jsonb ->> 'value' as value, stored.body::jsonb ->> 'role' as role
     from palimpsest_events as stored join palimpsest_conversations as conversation on conversation.key = stored.conversation_key
     where convert_from(conversation.conversation, 'utf8') like $1 || '%'`,
    [name],
  );
  await pool.query('create index on event (conversation, position)');
  await pool.query('create index on event (id)');
  await pool.query('create index on event (action)');
  await pool.query('create index on effects (action)');
  await pool.query('analyze event, effects, put');
}

/** Before each statement: it tells the types of its parameters, which it need not use. */
const parameters = 'with parameter as (select $1::text, $2::text) ';

/** Statements that count what breaks an invariant: `$1` is the name of the run, and `$2` the prefix of its poison. */
const statements: Readonly<Record<string, string>> = {
  'acknowledged messages that are not in their log exactly once': `select count(*) from put where run = $1 and
      (select count(*) from event where event.id = put.id and event.conversation = put.conversation) <> 1
      and conversation not like $2 || '%'`,
  'messages that still wait in the inbox': `select count(*) from palimpsest_inbox
    where convert_from(conversation, 'utf8') like $1 || '%' and convert_from(conversation, 'utf8') not like $2 || '%'`,
  'conversations that are not finished, or whose last message has no answer': `select count(*) from (select distinct conversation from put where run = $1 and conversation not like $2 || '%') as asked
    where (select value from event where event.conversation = asked.conversation and type = 'conversation-state-update'
        and key = 'status' order by position desc limit 1) is distinct from 'finished'
      or (select role from event where event.conversation = asked.conversation and type = 'message'
        order by position desc limit 1) is distinct from 'assistant'`,
  'gaps in positions, and ids that a log holds twice': `select (select count(*) from (select conversation from event group by conversation, version
        having count(*) <> version or min(position) <> 0 or max(position) <> version - 1) as gap)
      + (select count(*) from (select from event group by conversation, id having count(*) > 1) as twice) as count`,
  'actions that took effect twice and may not': `select count(*) from (select from effects
    where run = $1 and tool = 'act' group by action having count(*) > 1) as twice`,
  'actions with a result and without effect': `select count(*) from event where type = 'observation' and conversation not like $2 || '%'
      and not exists (select from effects where run = $1 and effects.action = event.action)`,
  'actions without an answer, or with two': `select count(*) from event as action where type = 'action' and conversation not like $2 || '%'
      and (select count(*) from event as answer where answer.conversation = action.conversation
        and answer.type in ('observation', 'agent-error') and answer.action = action.id) <> 1`,
  'poison that is no dead letter, and dead letters that are no poison': `select count(*) from (
      (select conversation from put where run = $1 and conversation like $2 || '%'
        except select conversation_id::json #>> '{}' from palimpsest_dbos.dead_letters where queue = $1 and reason = 'deaths')
      union all
      (select conversation_id::json #>> '{}' from palimpsest_dbos.dead_letters where queue = $1
        except select conversation from put where run = $1 and conversation like $2 || '%')) as wrong`,
  'requests, failures and outages that are left': `select (select count(*) from dbos.workflow_status where application_name = $1)
      + (select count(*) from palimpsest_dbos.failures where queue = $1)
      + (select count(*) from palimpsest_dbos.outages where queue = $1) as count`,
};

/** Checks all invariants, from the outside. */
export async function findings(pool: pg.Pool, { name, poison }: ChaosInput): Promise<readonly Finding[]> {
  await copyEvents(pool, name);
  const found: Finding[] = [];
  for (const [invariant, statement] of Object.entries(statements)) {
    const { rows } = await pool.query<{ count: string }>(parameters + statement, [name, poison]);
    found.push({ invariant, broken: Number(rows[0]?.count) });
  }
  return found;
}

/** Counts actions that were answered as lost: whether they took effect, nobody knows. */
export async function lostActions(pool: pg.Pool, { name, poison }: ChaosInput): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    `${parameters}select count(*) from event where type = 'agent-error' and conversation not like $2 || '%'`,
    [name, poison],
  );
  return Number(rows[0]?.count);
}
