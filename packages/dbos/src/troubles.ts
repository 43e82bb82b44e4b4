import type { Failures, RetryReason } from '@palimpsest/agent/runner';
import type { Database } from './database.js';
import { keyLength, keyOf } from './names.js';

/** A conversation is not run any more after so many deaths of workers that ran it without a new result in its log between them. */
const maxDeathsInARow = 5;
/** The same for all deaths during a run. */
const maxDeaths = 20;
/** After so many it is run with nobody beside it: what ran beside a conversation that ends its worker is not to blame. Until its next result. */
const deathsInARowUntilAlone = 2;
/** The same for all deaths, to its end: a conversation may end its worker late. */
const deathsUntilAlone = 5;

function isToRunAlone({ all, inARow }: { readonly all: number; readonly inARow: number }): boolean {
  return inARow >= deathsInARowUntilAlone || all >= deathsUntilAlone;
}

/** A request that is given up. Its conversation can be read, and goes on after {@link DbosRunner.resume}. */
export interface DeadLetter {
  readonly conversationId: string;
  /**
   * `deaths`: workers died while they ran it; nobody runs it before it is resumed. `store`, `provider`: its store or its model failed for too
   * long; the next request is served again.
   */
  readonly reason: 'deaths' | 'store' | 'provider';
  /** For people. */
  readonly explanation: string;
  readonly at: Date;
}

/** The troubles of a conversation, as they are when a worker takes its request. */
export interface Trouble {
  readonly hasDeaths: boolean;
  readonly isToRunAlone: boolean;
  readonly deadLetter: Pick<DeadLetter, 'reason' | 'explanation'> | undefined;
  readonly failures: Failures | undefined;
  /** The model's provider that it failed by. */
  readonly provider: string | undefined;
}

/** A request and the worker that has it: one that was frozen may have lost it, and may not say any more what became of it. */
export interface HeldRequest {
  readonly id: string;
  readonly worker: string;
}

/** The record of what went wrong with the conversations of a queue: deaths of workers during a run, failures in a row, dead letters. */
export class Troubles {
  readonly #database: Database;
  readonly #queue: string;

  constructor(database: Database, queue: string) {
    this.#database = database;
    this.#queue = queue;
  }

  async of(conversationId: string): Promise<Trouble> {
    const [row] = await this.#query<{
      all: number;
      in_a_row: number;
      dead_reason: DeadLetter['reason'] | null;
      explanation: string | null;
      reason: RetryReason['reason'] | null;
      provider: string | null;
      failures: number;
      since: Date;
    }>(
      `select death.all, death.in_a_row, dead.reason as dead_reason, dead.explanation, failure.reason, failure.provider, failure.failures, failure.since
       from (select count(*)::int as all, (count(*) filter (where not had_result_since))::int as in_a_row
         from palimpsest_dbos.deaths where queue = $1 and conversation = $2) as death
       left join palimpsest_dbos.dead_letters as dead on dead.queue = $1 and dead.conversation = $2
       left join palimpsest_dbos.failures as failure on failure.queue = $1 and failure.conversation = $2`,
      [keyOf(conversationId)],
    );
    if (row === undefined) throw new Error('A statement without a row.');
    const { all, in_a_row: inARow, dead_reason: reason, explanation, failures: count, since } = row;
    return {
      hasDeaths: all > 0,
      isToRunAlone: isToRunAlone({ all, inARow }),
      deadLetter: reason === null ? undefined : { reason, explanation: explanation ?? '' },
      failures: row.reason === null ? undefined : { reason: row.reason, count, since: since.getTime() },
      provider: row.provider ?? undefined,
    };
  }

  /** Counts the death of a worker that ran the conversation. A worker's death counts once. */
  async died(id: string, worker: string): Promise<{ readonly isGivenUp: boolean; readonly isToRunAlone: boolean }> {
    const key = id.slice(0, keyLength);
    await this.#query(
      'insert into palimpsest_dbos.deaths (queue, conversation, worker) values ($1, $2, $3) on conflict do nothing',
      [key, worker],
    );
    const [row] = await this.#query<{ all: number; in_a_row: number }>(
      `select count(*)::int as all, (count(*) filter (where not had_result_since))::int as in_a_row
       from palimpsest_dbos.deaths where queue = $1 and conversation = $2`,
      [key],
    );
    const { all = 0, in_a_row: inARow = 0 } = row ?? {};
    return { isGivenUp: inARow >= maxDeathsInARow || all >= maxDeaths, isToRunAlone: isToRunAlone({ all, inARow }) };
  }

  /** Takes back what was counted of a worker that was taken for dead and is not. */
  async livesAgain(worker: string): Promise<void> {
    await this.#query('delete from palimpsest_dbos.deaths where queue = $1 and worker = $2', [worker]);
  }

  /** A run has stored a result of an action: the deaths before it are in no row with those after it. */
  async hasResult(conversationId: string): Promise<void> {
    await this.#query(
      'update palimpsest_dbos.deaths set had_result_since = true where queue = $1 and conversation = $2',
      [keyOf(conversationId)],
    );
  }

  /** Notes failures in a row, unless the request is another worker's by now. */
  async failed(
    held: HeldRequest,
    conversationId: string,
    { reason, count, since }: Failures,
    provider: string | undefined,
  ): Promise<void> {
    await this.#query(
      `with ${heldAs('$7', '$8')}
       insert into palimpsest_dbos.failures (queue, conversation, reason, provider, failures, since)
       select $1, $2, $3, $4, $5::int, to_timestamp($6::float8 / 1000) from held
       on conflict (queue, conversation) do update
       set reason = excluded.reason, provider = excluded.provider, failures = excluded.failures, since = excluded.since`,
      [keyOf(conversationId), reason, provider ?? null, count, since, held.id, held.worker],
    );
  }

  /** Returns the keys of conversations whose last run failed by a provider. */
  async failedBy(provider: string): Promise<readonly string[]> {
    const rows = await this.#query<{ key: string }>(
      'select conversation as key from palimpsest_dbos.failures where queue = $1 and provider = $2',
      [provider],
    );
    return rows.map(({ key }) => key);
  }

  /** Forgets all of a conversation. Resolves to true if there was a dead letter. */
  async clear(conversationId: string): Promise<boolean> {
    const [row] = await this.#query<{ count: number }>(
      `with deaths as (delete from palimpsest_dbos.deaths where queue = $1 and conversation = $2),
         failures as (delete from palimpsest_dbos.failures where queue = $1 and conversation = $2),
         dead as (delete from palimpsest_dbos.dead_letters where queue = $1 and conversation = $2 returning 1)
       select count(*)::int as count from dead`,
      [keyOf(conversationId)],
    );
    return (row?.count ?? 0) > 0;
  }

  /** Makes a dead letter of what is known of a conversation, unless the request is another worker's by now. */
  async giveUp(
    held: HeldRequest,
    conversationId: string,
    reason: DeadLetter['reason'],
    explanation: string,
  ): Promise<void> {
    await this.#query(
      `with ${heldAs('$6', '$7')},
         deaths as (delete from palimpsest_dbos.deaths using held where queue = $1 and conversation = $2),
         failures as (delete from palimpsest_dbos.failures using held where queue = $1 and conversation = $2)
       insert into palimpsest_dbos.dead_letters (queue, conversation, conversation_id, reason, explanation)
       select $1, $2, $3, $4, $5 from held
       on conflict (queue, conversation) do update set reason = excluded.reason, explanation = excluded.explanation, at = now()`,
      [
        ...[keyOf(conversationId), JSON.stringify(conversationId), reason, explanation.replaceAll('\0', '')],
        ...[held.id, held.worker],
      ],
    );
  }

  /** Lists the dead letters, the newest first. */
  async deadLetters(): Promise<readonly DeadLetter[]> {
    const rows = await this.#query<{ id: string; reason: DeadLetter['reason']; explanation: string; at: Date }>(
      `select conversation_id as id, reason, explanation, at from palimpsest_dbos.dead_letters where queue = $1
       order by at desc, conversation`,
      [],
    );
    return rows.map(({ id, ...letter }) => ({ conversationId: JSON.parse(id) as string, ...letter }));
  }

  #query<Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.#database.query<Row>(text, [this.#queue, ...values]);
  }
}

/** The part of a statement that is without a row unless a worker has a request; nobody takes it over before the statement has ended. */
function heldAs(id: string, worker: string): string {
  return `held as materialized (select from dbos.workflow_status
    where workflow_uuid = ${id} and executor_id = ${worker} and status = 'PENDING' for update)`;
}

/** Explains a dead letter by deaths. */
export const explanationOfDeaths = `Workers died while they ran it: ${maxDeathsInARow} without a new result in its log between them, or ${maxDeaths} in all, the last ones with nothing beside it. Read its log for what it did last: often a tool that ends the process, or more than fits into its memory.`;
