import { answerMs, within } from './answers.js';
import { Database } from './database.js';
import type { DbosRunner, DbosRunnerOptions } from './options.js';
import { queueCounts } from './queue-counts.js';
import { Requests } from './requests.js';
import { Troubles } from './troubles.js';
import { Turns } from './turns.js';
import { Worker } from './worker.js';

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
