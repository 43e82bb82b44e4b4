import { createHash, randomUUID } from 'node:crypto';
import { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Database } from './database.js';
import type { DLogger } from './dbos-log.js';
import { applicationVersionOf, workflowName } from './names.js';

/** The condition of requests that run; `$1` is the queue. */
const running = `queue_name = $1 and status = 'PENDING'`;

/** The requests that wait and run, as workflows of DBOS: for processes that work, and for those that only ask. */
export class Requests {
  readonly #database: Database;
  readonly #queue: string;
  readonly #logger: DLogger;
  #client: Promise<DBOSClient> | undefined;

  constructor(database: Database, queue: string, logger: DLogger) {
    this.#database = database;
    this.#queue = queue;
    this.#logger = logger;
  }

  /** Keeps a request. Its id is new each time: an id that DBOS knows would be answered with the result of the request before. */
  async add(conversationId: string, traceparent: string | undefined): Promise<void> {
    const client = await this.#connected();
    const prefix = prefixOf(conversationId);
    const workflowID = `${prefix}${randomUUID()}`;
    await client.enqueue(
      {
        workflowName,
        workflowID,
        queueName: this.#queue,
        // Not the id itself: a text of PostgreSQL holds no U+0000.
        queuePartitionKey: prefix,
        appVersion: applicationVersionOf(this.#queue),
        ...(traceparent === undefined ? {} : { attributes: { traceparent } }),
      },
      conversationId,
    );
  }

  /**
   * Cancels the requests of a conversation that wait or run. DBOS starts those that wait no more, and nobody takes over those that run.
   * Resolves to their ids.
   */
  async cancel(conversationId: string): Promise<readonly string[]> {
    const client = await this.#connected();
    const found = await client.listWorkflows({
      queueName: this.#queue,
      workflow_id_prefix: prefixOf(conversationId),
      status: ['ENQUEUED', 'PENDING'],
      loadInput: false,
      loadOutput: false,
    });
    const ids = found.map(({ workflowID }) => workflowID);
    if (ids.length > 0) await client.cancelWorkflows(ids);
    return ids;
  }

  /** Returns those of the requests that were cancelled. */
  async cancelledOf(workflowIDs: readonly string[]): Promise<readonly string[]> {
    // DBOS has taken them out of their queue.
    const rows = await this.#select(`workflow_uuid = any($1) and status = 'CANCELLED'`, [workflowIDs]);
    return rows.map(({ id }) => id);
  }

  /** Returns the number of requests that wait. */
  async waiting(): Promise<number> {
    const rows = await this.#ask<{ readonly count: string }>(
      `select count(*) as count from dbos.workflow_status where queue_name = $1 and status = 'ENQUEUED'`,
      [this.#queue],
    );
    return Number(rows[0]?.count);
  }

  /** Returns the requests that run now, by the ids of their workers, live or dead. */
  async running(): Promise<ReadonlyMap<string, readonly string[]>> {
    return byWorker(await this.#select(`${running} and executor_id is not null`, [this.#queue]));
  }

  /**
   * The requests that were cancelled after they had begun, whose runs nobody has told that they ended: by the ids of their last workers.
   * DBOS has taken them out of their queue.
   */
  async cancelledOnTheWay(): Promise<ReadonlyMap<string, readonly string[]>> {
    const condition = `status = 'CANCELLED' and name = $1 and application_version = $2 and executor_id <> ''`;
    return byWorker(await this.#select(condition, [workflowName, applicationVersionOf(this.#queue)]));
  }

  /** Returns the span that requested it, as W3C `traceparent`. */
  async traceparentOf(workflowID: string): Promise<string | undefined> {
    const [found] = await this.#ask<{ readonly traceparent: string | null }>(
      `select attributes ->> 'traceparent' as traceparent from dbos.workflow_status where workflow_uuid = $1`,
      [workflowID],
    );
    return found?.traceparent ?? undefined;
  }

  /** The conversation of a request. */
  async conversationOf(workflowID: string): Promise<string | undefined> {
    const [found] = await (await this.#connected()).listWorkflows({ workflowIDs: [workflowID], loadOutput: false });
    const [conversationId] = found?.input ?? [];
    return typeof conversationId === 'string' ? conversationId : undefined;
  }

  /** Notes that nothing is left to do for a cancelled request. */
  async settle(workflowID: string): Promise<void> {
    await this.#ask(
      `update dbos.workflow_status set executor_id = '' where workflow_uuid = $1 and status = 'CANCELLED'`,
      [workflowID],
    );
  }

  /** Returns true if a worker still has a request that it was given. */
  async isOf(executorId: string, workflowID: string): Promise<boolean> {
    const condition = `${running} and executor_id = $2 and workflow_uuid = $3`;
    return (await this.#select(condition, [this.#queue, executorId, workflowID])).length > 0;
  }

  /** Puts all requests of a worker back into the queue. What it records of them later is refused by DBOS. */
  async putBackAllOf(executorId: string): Promise<void> {
    await this.#putBack('executor_id = $2', [executorId]);
  }

  /** Puts requests of a worker back into the queue, as far as they still run. */
  async putBack(executorId: string, workflowIDs: readonly string[]): Promise<void> {
    if (workflowIDs.length > 0)
      await this.#putBack('executor_id = $2 and workflow_uuid = any($3)', [executorId, workflowIDs]);
  }

  /**
   * As DBOS's `resumeWorkflows` does, and in one statement: DBOS resumes what was cancelled, too, so a cancel in that very moment would be
   * lost. The worker stays written in, until another one takes the request: it has begun.
   */
  async #putBack(condition: string, values: unknown[]): Promise<void> {
    await this.#ask(
      `update dbos.workflow_status set status = 'ENQUEUED', owner_xid = null, recovery_attempts = 0,
        started_at_epoch_ms = null, updated_at = (extract(epoch from now()) * 1000)::bigint
       where ${running} and ${condition}`,
      [this.#queue, ...values],
    );
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await (await client?.catch(() => undefined))?.destroy();
  }

  async #select(condition: string, values: unknown[]): Promise<readonly Begun[]> {
    return this.#ask<Begun>(
      `select workflow_uuid as id, executor_id as worker from dbos.workflow_status where ${condition}`,
      values,
    );
  }

  /**
   * A statement of our own, not of DBOS: while the server is gone, DBOS asks again without an end, with pauses of up to a minute.
   * What fails here is told, and repeated when the runner's options say.
   */
  async #ask<Row extends object>(text: string, values: unknown[]): Promise<readonly Row[]> {
    const pool = await this.#database.pool();
    return (await pool.query<Row>(text, values)).rows;
  }

  #connected(): Promise<DBOSClient> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async #connect(): Promise<DBOSClient> {
    return DBOSClient.create({
      systemDatabaseUrl: this.#database.url,
      systemDatabasePool: await this.#database.pool(),
      applicationName: this.#queue,
      logger: this.#logger,
    });
  }
}

/** A request that has begun. */
interface Begun {
  readonly id: string;
  readonly worker: string;
}

function byWorker(requests: readonly Begun[]): ReadonlyMap<string, readonly string[]> {
  const idsOf = new Map<string, string[]>();
  for (const { id, worker } of requests) {
    const ids = idsOf.get(worker);
    if (ids === undefined) idsOf.set(worker, [id]);
    else ids.push(id);
  }
  return idsOf;
}

/** The requests of a conversation are found by the beginning of their ids. */
function prefixOf(conversationId: string): string {
  return `palimpsest-${createHash('sha256').update(conversationId).digest('hex')}-`;
}
