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
  async add(conversationId: string): Promise<void> {
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

  /** Which of these requests were cancelled. */
  async cancelledOf(workflowIDs: readonly string[]): Promise<readonly string[]> {
    // DBOS has taken them out of their queue.
    const rows = await this.#select(`workflow_uuid = any($1) and status = 'CANCELLED'`, [workflowIDs]);
    return rows.map(({ id }) => id);
  }

  /** How many wait. */
  async waiting(): Promise<number> {
    const pool = await this.#database.pool();
    const { rows } = await pool.query<{ count: string }>(
      `select count(*) as count from dbos.workflow_status where queue_name = $1 and status = 'ENQUEUED'`,
      [this.#queue],
    );
    return Number(rows[0]?.count);
  }

  /** Which requests run now, by the ids of their workers, live or dead. */
  async running(): Promise<ReadonlyMap<string, readonly string[]>> {
    const idsOf = new Map<string, string[]>();
    for (const { id, worker } of await this.#select(`${running} and executor_id is not null`, [this.#queue])) {
      const ids = idsOf.get(worker);
      if (ids === undefined) idsOf.set(worker, [id]);
      else ids.push(id);
    }
    return idsOf;
  }

  /** Whether a worker still has a request that it was given. */
  async isOf(executorId: string, workflowID: string): Promise<boolean> {
    const condition = `${running} and executor_id = $2 and workflow_uuid = $3`;
    return (await this.#select(condition, [this.#queue, executorId, workflowID])).length > 0;
  }

  /** Puts all requests of a worker back into the queue. What it records of them later is refused by DBOS. */
  async putBackAllOf(executorId: string): Promise<void> {
    const rows = await this.#select(`${running} and executor_id = $2`, [this.#queue, executorId]);
    await this.putBack(rows.map(({ id }) => id));
  }

  /** Puts requests that run back into the queue. */
  async putBack(workflowIDs: readonly string[]): Promise<void> {
    if (workflowIDs.length === 0) return;
    await (await this.#connected()).resumeWorkflows([...workflowIDs], { queueName: this.#queue });
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await (await client?.catch(() => undefined))?.destroy();
  }

  /**
   * Requests, not by DBOS: while the server is gone, DBOS asks again without an end, with pauses of up to a minute. What fails here is told,
   * and repeated when the runner's options say.
   */
  async #select(condition: string, values: unknown[]) {
    const pool = await this.#database.pool();
    const { rows } = await pool.query<{ readonly id: string; readonly worker: string }>(
      `select workflow_uuid as id, executor_id as worker from dbos.workflow_status where ${condition}`,
      values,
    );
    return rows;
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

/** The requests of a conversation are found by the beginning of their ids. */
function prefixOf(conversationId: string): string {
  return `palimpsest-${createHash('sha256').update(conversationId).digest('hex')}-`;
}
