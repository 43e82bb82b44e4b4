import { randomUUID } from 'node:crypto';
import type { Database } from './database.js';
import { aloneQueueOf, keyLength, keyOf, workflowName } from './names.js';

/** The clock of DBOS's columns. */
const now = `(extract(epoch from now()) * 1000)::bigint`;

/**
 * Begins a statement whose commit does not wait for the disk, where the row `hurry` is read. Of what a server that crashes loses so, the
 * worst is that a request is served once more.
 */
const hurry = `with hurry as materialized (select set_config('synchronous_commit', 'off', true))`;

/** The condition that no request of the conversation runs: the one that waits would find it busy. The application's name is that of the queue. */
const isFree = `not exists (select from dbos.workflow_status as running
  where running.queue_name in (waiting.queue_name, waiting.application_name) and running.status = 'PENDING'
    and left(running.workflow_uuid, ${keyLength}) = left(waiting.workflow_uuid, ${keyLength}))`;

/** A request that a worker has claimed. */
export interface Request {
  readonly id: string;
  readonly conversationId: string;
  /** The span in which it was asked for, as W3C `traceparent`. */
  readonly traceparent: string | undefined;
  /** The number of times that it was claimed since it was asked for or taken over, this time included. */
  readonly claims: number;
  /** It runs with nobody beside it. */
  readonly isAlone: boolean;
}

/** The place to which a request goes back. */
export interface PutBack {
  /** Unit: milliseconds. @defaultValue 0: it waits for the next free place */
  readonly delayMs?: number;
  /** @defaultValue false */
  readonly isAlone?: boolean;
}

/**
 * The requests that wait and run. Each is a row of DBOS's workflows, and a conversation has at most one that waits: while it waits, its
 * deduplication id is the conversation's key. A served request leaves no row.
 */
export class Requests {
  readonly #database: Database;
  readonly #queue: string;
  /** The place of the request that was claimed last. */
  #last: readonly [priority: number, createdAt: number] = [0, 0];

  constructor(database: Database, queue: string) {
    this.#database = database;
    this.#queue = queue;
  }

  get #queues(): readonly string[] {
    return [this.#queue, aloneQueueOf(this.#queue)];
  }

  /** Keeps a request, unless one waits for the conversation that has not begun. */
  async add(conversationId: string, traceparent: string | undefined, turn: number): Promise<void> {
    const key = keyOf(conversationId);
    const named = traceparent === undefined ? {} : { traceparent };
    await this.#database
      .query(
        `select dbos.enqueue_workflow(workflow_name => $1, queue_name => $2, positional_args => array[$3::json], named_args => $4::json,
          workflow_id => $5, deduplication_id => $6, priority => $7, application_name => $2)
         where not exists (select from dbos.workflow_status where queue_name = $2 and deduplication_id = $6)`,
        [
          workflowName,
          this.#queue,
          JSON.stringify(conversationId),
          JSON.stringify(named),
          `${key}${randomUUID()}`,
          key,
          turn,
        ],
      )
      .catch(unlessTaken);
  }

  /**
   * Claims requests for a worker: those of the earliest turn, and of these the oldest.
   *
   * @param from - `start`; or `last`: where the last claim ended, so that nothing is read which was claimed since. The server keeps
   *   that in its index while somebody holds a transaction open. What was put back before that is not found.
   */
  async claim(worker: string, count: number, from: 'start' | 'last' = 'start'): Promise<readonly Request[]> {
    const [priority, createdAt] = from === 'start' ? [0, 0] : this.#last;
    const claimed = await this.#claim(this.#queue, worker, count, [priority, createdAt]);
    const last = claimed.at(-1);
    this.#last = last === undefined ? [0, 0] : last.place;
    return claimed;
  }

  /** Claims a request that has to run with nobody beside it. */
  async claimAlone(worker: string): Promise<Request | undefined> {
    return (await this.#claim(aloneQueueOf(this.#queue), worker, 1, [0, 0], isFree))[0];
  }

  async #claim(
    queue: string,
    worker: string,
    count: number,
    from: readonly [priority: number, createdAt: number],
    condition = 'true',
  ): Promise<readonly (Request & { readonly place: readonly [number, number] })[]> {
    const found = await this.#database.query<{
      id: string;
      inputs: string;
      claims: string;
      priority: number;
      created_at: string;
    }>(
      `${hurry}, next as materialized (
         select workflow_uuid from dbos.workflow_status as waiting
         where queue_name = $1 and status = 'ENQUEUED' and (priority, created_at) >= ($5, $6) and ${condition}
         order by priority, created_at limit $2 for update skip locked)
       update dbos.workflow_status as request set status = 'PENDING', executor_id = $3, owner_xid = $4,
         recovery_attempts = recovery_attempts + 1, started_at_epoch_ms = ${now}, updated_at = ${now}
       from next, hurry where request.workflow_uuid = next.workflow_uuid
       returning request.workflow_uuid as id, request.recovery_attempts as claims, request.priority, request.created_at,
         (select inputs from dbos.workflow_input where workflow_uuid = request.workflow_uuid) as inputs`,
      [queue, count, worker, randomUUID(), ...from],
    );
    const isAlone = queue !== this.#queue;
    // They come in any order.
    const rows = [...found].sort((a, b) => a.priority - b.priority || Number(a.created_at) - Number(b.created_at));
    return rows.map(({ id, inputs, claims, priority, created_at: createdAt }) => {
      const { positionalArgs, namedArgs } = JSON.parse(inputs) as Inputs;
      return {
        place: [priority, Number(createdAt)] as const,
        id,
        conversationId: positionalArgs[0],
        traceparent: namedArgs.traceparent,
        claims: Number(claims),
        isAlone,
      };
    });
  }

  /**
   * Lets requests wait for a place whose delay is over: a thousand at most, because others may do the same. Resolves to true if there were
   * any.
   */
  async wakeDue(): Promise<boolean> {
    const rows = await this.#database.query(
      `with due as materialized (
         select workflow_uuid from dbos.workflow_status
         where status = 'DELAYED' and delay_until_epoch_ms <= ${now} and queue_name = any($1)
         order by delay_until_epoch_ms limit 1000 for update skip locked)
       update dbos.workflow_status as request set status = 'ENQUEUED', updated_at = ${now}
       from due where request.workflow_uuid = due.workflow_uuid returning 1`,
      [this.#queues],
    );
    return rows.length > 0;
  }

  /** Returns for how long a request waits that has to run with nobody beside it and can begin. Undefined: none does. Unit: milliseconds */
  async aloneWaitedMs(): Promise<number | undefined> {
    const [row] = await this.#database.query<{ ms: string }>(
      `select ${now} - updated_at as ms from dbos.workflow_status as waiting
       where queue_name = $1 and status = 'ENQUEUED' and ${isFree} order by priority, created_at limit 1`,
      [aloneQueueOf(this.#queue)],
    );
    return row === undefined ? undefined : Number(row.ms);
  }

  /**
   * Notes that the run begins: what is asked for from now on waits for another run. Resolves to false if the request is not the
   * worker's any more.
   */
  async begin(worker: string, id: string): Promise<boolean> {
    const rows = await this.#database.query(
      `${hurry} update dbos.workflow_status set deduplication_id = null, updated_at = ${now}
       from hurry where workflow_uuid = $1 and executor_id = $2 and status = 'PENDING' returning 1`,
      [id, worker],
    );
    return rows.length > 0;
  }

  /** Ends a request of a worker, and lets the conversation's next one, which may have found it busy, wait for a place at once. */
  async end(worker: string, id: string): Promise<void> {
    await this.#database.query(
      `${hurry}, ${removing(`workflow_uuid = $1 and executor_id = $2 and status in ('PENDING', 'CANCELLED')`, 'hurry')},
       woken as (update dbos.workflow_status set status = 'ENQUEUED', updated_at = ${now}
         where queue_name = any($3) and deduplication_id = $4 and status = 'DELAYED')
       select from gone`,
      [id, worker, this.#queues, id.slice(0, keyLength)],
    );
  }

  /**
   * Puts a request of a worker back. If another one of its conversation waits, that one is enough. What was cancelled is not put back.
   * Resolves to false if it is not the worker's any more.
   */
  async putBack(worker: string, id: string, { delayMs = 0, isAlone = false }: PutBack = {}): Promise<boolean> {
    const isOurs = `workflow_uuid = $1 and executor_id = $2 and status = 'PENDING'`;
    try {
      const rows = await this.#database.query(
        `${hurry} update dbos.workflow_status set queue_name = $3, deduplication_id = $4, owner_xid = null, started_at_epoch_ms = null,
           status = case when $5::bigint > 0 then 'DELAYED' else 'ENQUEUED' end,
           delay_until_epoch_ms = case when $5::bigint > 0 then ${now} + $5::bigint end, updated_at = ${now}
         from hurry where ${isOurs} returning 1`,
        [id, worker, isAlone ? aloneQueueOf(this.#queue) : this.#queue, id.slice(0, keyLength), Math.ceil(delayMs)],
      );
      return rows.length > 0;
    } catch (error) {
      unlessTaken(error);
      return (await this.#database.query(`with ${removing(isOurs)} select 1 from gone`, [id, worker])).length > 0;
    }
  }

  /** Lets delayed requests of these conversations wait for a place at once. */
  async wake(keys: readonly string[]): Promise<void> {
    await this.#database.query(
      `update dbos.workflow_status set status = 'ENQUEUED', updated_at = ${now}
       where queue_name = any($1) and deduplication_id = any($2) and status = 'DELAYED'`,
      [this.#queues, keys],
    );
  }

  /**
   * Cancels the requests of a conversation: one that waits is gone, and nobody takes over one that runs.
   *
   * @returns the ids of those that run, and how many there were in all
   */
  async cancel(conversationId: string): Promise<{ readonly running: readonly string[]; readonly count: number }> {
    const key = keyOf(conversationId);
    const waiting = await this.#database.query(
      `with ${removing(`queue_name = any($1) and deduplication_id = $2 and status in ('ENQUEUED', 'DELAYED')`)} select 1 from gone`,
      [this.#queues, key],
    );
    const running = await this.#database.query<{ id: string }>(
      `update dbos.workflow_status set status = 'CANCELLED', deduplication_id = null, owner_xid = null, updated_at = ${now}
       where queue_name = any($1) and status = 'PENDING' and left(workflow_uuid, ${keyLength}) = $2 returning workflow_uuid as id`,
      [this.#queues, key],
    );
    return { running: running.map(({ id }) => id), count: waiting.length + running.length };
  }

  /** Removes what waits and what runs of a conversation, without a trace. */
  async forget(conversationId: string): Promise<void> {
    await this.cancel(conversationId);
    await this.#database.query(
      `with ${removing(`application_name = $1 and status = 'CANCELLED' and left(workflow_uuid, ${keyLength}) = $2`)} select from gone`,
      [this.#queue, keyOf(conversationId)],
    );
  }

  /** Returns those of the requests that were cancelled or are gone. */
  async cancelledOf(worker: string, ids: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#database.query<{ id: string }>(
      `select workflow_uuid as id from dbos.workflow_status
       where workflow_uuid = any($1) and executor_id = $2 and status = 'CANCELLED'`,
      [ids, worker],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the requests that run now, by the ids of their workers, live or dead. */
  async running(): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#byWorker(`queue_name = any($1) and status = 'PENDING'`, [this.#queues]);
  }

  /** Returns the requests that were cancelled after they had begun, whose runs nobody has told that they ended, by their last workers. */
  async cancelledOnTheWay(): Promise<ReadonlyMap<string, readonly string[]>> {
    // Whoever cancels by DBOS takes them out of their queue.
    return this.#byWorker(`status = 'CANCELLED' and application_name = $1 and name = $2 and executor_id <> ''`, [
      this.#queue,
      workflowName,
    ]);
  }

  /** Returns the conversation of a request. */
  async conversationOf(id: string): Promise<string | undefined> {
    const [row] = await this.#database.query<{ inputs: string }>(
      'select inputs from dbos.workflow_input where workflow_uuid = $1',
      [id],
    );
    return row === undefined ? undefined : (JSON.parse(row.inputs) as Inputs).positionalArgs[0];
  }

  /** Removes a cancelled request, for which nothing is left to do. */
  async settle(id: string): Promise<void> {
    await this.#database.query(`with ${removing(`workflow_uuid = $1 and status = 'CANCELLED'`)} select from gone`, [
      id,
    ]);
  }

  async #byWorker(condition: string, values: unknown[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const rows = await this.#database.query<{ worker: string; ids: readonly string[] }>(
      `select executor_id as worker, array_agg(workflow_uuid) as ids from dbos.workflow_status where ${condition} group by executor_id`,
      values,
    );
    return new Map(rows.map(({ worker, ids }) => [worker, ids]));
  }
}

interface Inputs {
  readonly positionalArgs: readonly [string];
  readonly namedArgs: { readonly traceparent?: string };
}

/**
 * The part of a statement that removes requests; `gone` is what it has removed.
 *
 * @param using - read beside them
 */
function removing(condition: string, using?: string): string {
  const beside = using === undefined ? '' : `using ${using}`;
  return `gone as (delete from dbos.workflow_status ${beside} where ${condition} returning workflow_uuid),
    inputs as (delete from dbos.workflow_input using gone where workflow_input.workflow_uuid = gone.workflow_uuid)`;
}

/** A request of the conversation waits already. */
function unlessTaken(error: unknown): void {
  if ((error as { readonly code?: string }).code !== '23505') throw error;
}
