import type { ConversationWorkOptions, Runner } from '@palimpsest/agent/runner';
import { answerMs, within } from './answers.js';
import { Database } from './database.js';
import { queueCounts } from './queue-counts.js';
import type { QueueCounts } from './queue-counts.js';
import { Requests } from './requests.js';
import { Troubles } from './troubles.js';
import type { DeadLetter } from './troubles.js';
import { Turns } from './turns.js';
import { Worker } from './worker.js';

/** Options of {@link dbosRunner}. */
export interface DbosRunnerOptions extends ConversationWorkOptions {
  /** The database, as a URL with user and database. The tables are made there, in the schemas `dbos` and `palimpsest_dbos`. */
  readonly url: string;
  /** Workers of one name share the requests. @defaultValue 'palimpsest' */
  readonly name?: string;
  /** The number of conversations that this worker runs at once. @defaultValue 4 */
  readonly maxConcurrentRuns?: number;
  /**
   * After what time without a sign of life the server takes a frozen worker for dead. One whose process ended is known to be dead at
   * once. After the same time without an answer the worker takes a connection for lost. Unit: milliseconds. @defaultValue 30000
   */
  readonly leaseMs?: number;
  /**
   * The time between two looks of a worker for requests of dead workers, and for its own that nobody serves. Unit:
   * milliseconds. @defaultValue 5000
   */
  readonly sweepMs?: number;
  /**
   * The time between two looks of a worker with a free place for new requests, and for those of its own that others have cancelled. When
   * a place becomes free, it looks at once. Unit: milliseconds. @defaultValue 1000
   */
  readonly pollMs?: number;
  /**
   * Whom a conversation belongs to: tenants take turns, over all workers. All processes that enqueue must have the same.
   * @defaultValue all conversations are one tenant's: the first comes first
   */
  readonly tenantOf?: (conversationId: string) => string;
  /**
   * The provider of a conversation's model, as in `LLMError.provider`. While it is down, one request tries it and the others wait.
   * @defaultValue not known before a run has failed by it: each conversation tries it once
   */
  readonly providerOf?: (conversationId: string) => string | undefined;
  /**
   * Called when a look for requests, or a note of what came of one, failed, as while the server restarts. It is repeated. Also when `stop`
   * could not put requests back, which others then take over. It must not throw. @defaultValue nothing is told
   */
  readonly onTrouble?: (error: unknown) => void;
}

/** A {@link Runner} on many machines. */
export interface DbosRunner extends Runner {
  /** Counts the requests of all workers. With 100,000 requests it costs the server about 20 ms: keep the answer for some seconds. */
  counts(): Promise<QueueCounts>;
  /** Lists the requests that were given up, the newest first. */
  deadLetters(): Promise<readonly DeadLetter[]>;
  /** Runs a conversation again that was given up, as if nothing had happened. Resolves to false if it was not. */
  resume(conversationId: string): Promise<boolean>;
  /** Removes all that is kept of a conversation beside its log and its inbox. Cancel it before: a run under way goes on. */
  forget(conversationId: string): Promise<void>;
}

/**
 * Returns a {@link Runner} on any number of processes and machines, over PostgreSQL. Requests are workflows in a queue of DBOS that hold
 * the id of a conversation and nothing else: the log is the state. What a worker had that died, froze or was stopped, another one goes on
 * with.
 *
 * `open` must give conversations on a store with `openForWriting` that all workers share, as `postgresEventStore` with `connect` is. A
 * process that only enqueues never calls `start`; `stop` closes its connections, too.
 *
 * @throws {@link EventStoreError} when `leaseMs` is out of range, and when the database has not answered within 5 seconds; `start` throws
 * when it cannot be reached: it may be called again.
 */
export function dbosRunner(options: DbosRunnerOptions): DbosRunner {
  const { url, name = 'palimpsest', leaseMs = 30_000, tenantOf } = options;
  const database = new Database(url, leaseMs);
  const requests = new Requests(database, name);
  const troubles = new Troubles(database, name);
  const turns = new Turns(database, name);
  let worker: Worker | undefined;
  let started: Promise<void> = Promise.resolve();
  const start = async (one: Worker) => {
    try {
      await one.start();
    } catch (error) {
      await one.stop({ graceMs: 0 }).catch(() => undefined);
      worker = undefined;
      throw error;
    }
  };
  const add = async (conversationId: string) => {
    const turn = tenantOf === undefined ? 0 : await turns.next(tenantOf(conversationId));
    await requests.add(conversationId, options.instrumentation?.traceparent?.(), turn);
    worker?.wake();
  };
  const answered = async <T>(what: string, work: () => Promise<T>) => {
    await database.ready();
    return within(answerMs, work(), what);
  };
  return {
    enqueue: (conversationId) => answered('enqueue', () => add(conversationId)),
    cancel: (conversationId) =>
      answered('cancel', async () => {
        const { running, count } = await requests.cancel(conversationId);
        worker?.cancel(running);
        return count;
      }),
    async start() {
      // The same start, for whoever asks while it is under way.
      if (worker !== undefined) return started;
      worker = new Worker(options, database, requests, troubles);
      started = start(worker);
      return started;
    },
    async stop(stopping) {
      await started.catch(() => undefined);
      const stopped = worker;
      try {
        await stopped?.stop(stopping);
      } finally {
        worker = undefined;
        await database.close();
      }
    },
    async status() {
      const { waiting, delayed } = await answered('status', () => queueCounts(database, name));
      return { isWorking: worker !== undefined, running: worker?.running ?? [], queued: waiting + delayed };
    },
    counts: () =>
      answered('counts', async () => ({
        ...(await queueCounts(database, name)),
        takeovers: worker?.takeovers ?? 0,
      })),
    deadLetters: () => answered('deadLetters', () => troubles.deadLetters()),
    resume: (conversationId) =>
      answered('resume', async () => {
        const wasGivenUp = await troubles.clear(conversationId);
        if (wasGivenUp) await add(conversationId);
        return wasGivenUp;
      }),
    forget: (conversationId) =>
      answered('forget', async () => {
        await requests.forget(conversationId);
        await troubles.clear(conversationId);
      }),
  };
}
