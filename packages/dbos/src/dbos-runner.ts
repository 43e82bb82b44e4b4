import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { ConversationWork, RunningWork } from '@palimpsest/agent/runner';
import type { ConversationWorkOptions, Runner } from '@palimpsest/agent/runner';
import { connect, Database } from './database.js';
import { silent } from './dbos-log.js';
import type { DLogger } from './dbos-log.js';
import { applicationVersionOf, workflowName } from './names.js';
import { Repetition } from './repetition.js';
import { Requests } from './requests.js';
import { WorkerLock } from './worker-lock.js';

/** Options of {@link dbosRunner}. */
export interface DbosRunnerOptions extends ConversationWorkOptions {
  /** The database, as a URL with user and database. DBOS makes its tables there, in the schema `dbos`. */
  readonly url: string;
  /** Workers of one name share the requests. @defaultValue 'palimpsest' */
  readonly name?: string;
  /**
   * The number of conversations that a worker runs at once. DBOS keeps it in the database: all workers of the name have
   * that of the one that started last. @defaultValue 4
   */
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
   * The time between two looks of a worker for new requests, and for those of its own that others have cancelled. For
   * new requests DBOS keeps it in the database: all workers of the name have that of the one that started last. Unit:
   * milliseconds. @defaultValue 1000
   */
  readonly pollMs?: number;
  /**
   * Called when a look for dead workers or for cancelled requests failed, as while the server restarts. It is repeated after
   * `sweepMs` or `pollMs`. Also when `stop` could not put requests back, which others then take over. It must not throw.
   * @defaultValue nothing is told
   */
  readonly onTrouble?: (error: unknown) => void;
  /** The port to which DBOS writes its log. @defaultValue nowhere */
  readonly logger?: DLogger;
}

/** DBOS is one in a process, and so is the worker that it serves. */
let working: Worker | undefined;
let workflow: ((conversationId: string) => Promise<void>) | undefined;

/**
 * Returns a {@link Runner} on any number of processes and machines, over PostgreSQL. Requests are workflows of DBOS
 * that hold the id of a conversation and nothing else: the log is the state. What a worker had that died, froze or was
 * stopped, another one goes on with.
 *
 * `open` must give conversations on a store with `openForWriting` that all workers share, as `postgresEventStore` with `connect` is. A
 * process that only enqueues never calls `start`; `stop` closes its connections, too.
 *
 * @throws {@link EventStoreError} when `leaseMs` is out of range; `start` throws when another runner of this process works, and when the
 * database cannot be reached: it may be called again.
 */
export function dbosRunner(options: DbosRunnerOptions): Runner {
  const { url, name = 'palimpsest', leaseMs = 30_000, logger = silent } = options;
  const database = new Database(url, leaseMs);
  const requests = new Requests(database, name, logger);
  let worker: Worker | undefined;
  let started: Promise<void> = Promise.resolve();
  const start = async (one: Worker) => {
    try {
      await one.start();
    } catch (error) {
      await one.stop({ graceMs: 0 }).catch(() => undefined);
      worker = working = undefined;
      throw error;
    }
  };
  return {
    enqueue: (conversationId) => requests.add(conversationId, options.instrumentation?.traceparent?.()),
    async cancel(conversationId) {
      const cancelled = await requests.cancel(conversationId);
      worker?.cancel(cancelled);
      return cancelled.length;
    },
    async start() {
      // The same start, for whoever asks while it is under way.
      if (worker !== undefined) return started;
      if (working !== undefined)
        throw new Error('Another runner is at work in this process. Stop it first: DBOS allows one for each process.');
      worker = working = new Worker(options, database, requests);
      started = start(worker);
      return started;
    },
    async stop(stopping) {
      await started.catch(() => undefined);
      const stopped = worker;
      try {
        await stopped?.stop(stopping);
      } finally {
        if (stopped !== undefined) worker = working = undefined;
        await requests.close();
        await database.close();
      }
    },
    async status() {
      return { isWorking: worker !== undefined, running: worker?.running ?? [], queued: await requests.waiting() };
    },
  };
}

/** From a start to a stop. */
class Worker {
  /** New each time: a worker that comes back is another one. */
  readonly #executorId = randomUUID();
  readonly #options: DbosRunnerOptions;
  readonly #database: Database;
  readonly #requests: Requests;
  readonly #lock: WorkerLock;
  readonly #work = new RunningWork();
  /** The running work, by the ids of the requests. */
  readonly #workOf = new Map<string, ConversationWork>();
  /** The requests that DBOS counts to this worker and that the worker does not know, since the last look. */
  #unknown: ReadonlySet<string> = new Set();
  /** Runs what it is given as if no workflow had called it: tools may use DBOS on their own, and nothing becomes a step. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #repetitions: readonly Repetition[] = [];
  /** From then on there may be requests to put back, and DBOS is ours to shut down, also when its launch failed. */
  #hasLaunched = false;
  /** The run of a cancelled request that is being ended. */
  #ending: ConversationWork | undefined;
  #isStopping = false;
  /** Ends attempts to connect: a server that does not answer holds up no stop. */
  readonly #closing = new AbortController();

  constructor(options: DbosRunnerOptions, database: Database, requests: Requests) {
    const { url, leaseMs = 30_000 } = options;
    this.#options = options;
    this.#database = database;
    this.#requests = requests;
    const session = () => connect(url, `palimpsest ${this.#executorId}`, this.#closing.signal);
    this.#lock = new WorkerLock(this.#executorId, session, leaseMs);
  }

  get running(): readonly string[] {
    return this.#work.conversationIds;
  }

  async start(): Promise<void> {
    const { url, name = 'palimpsest', maxConcurrentRuns = 4, pollMs = 1_000, logger = silent } = this.#options;
    // Before the first request: nobody may take this worker for dead.
    await this.#lock.hold();
    workflow ??= DBOS.registerWorkflow(serve, { name: workflowName, maxRecoveryAttempts: 2_147_483_647 });
    DBOS.setConfig({
      name,
      systemDatabaseUrl: url,
      systemDatabasePool: await this.#database.pool(),
      executorID: this.#executorId,
      applicationVersion: applicationVersionOf(name),
      listenQueues: [name],
      useListenNotify: false,
      logger,
    });
    this.#hasLaunched = true;
    await DBOS.launch();
    await DBOS.registerQueue(name, {
      partitionConcurrency: 1,
      workerConcurrency: maxConcurrentRuns,
      minPollingIntervalMs: pollMs,
      onConflict: 'always_update',
    });
    const { sweepMs = 5_000, onTrouble } = this.#options;
    this.#repetitions = [
      new Repetition(() => this.#sweep(), sweepMs, onTrouble),
      new Repetition(() => this.#lookForCancelled(), pollMs, onTrouble),
    ];
  }

  /** Interrupts those of these requests that run here. */
  cancel(workflowIDs: readonly string[]): void {
    for (const workflowID of workflowIDs) this.#workOf.get(workflowID)?.cancel();
  }

  /** Serves a request. */
  async serve(conversationId: string, workflowID: string): Promise<void> {
    await this.#outside(async () => {
      const work = new ConversationWork(conversationId, this.#options, this.#requestedBy(workflowID));
      const isMine = async () => {
        if (await this.#requests.isOf(this.#executorId, workflowID)) return true;
        const [isCancelled] = await this.#requests.cancelledOf([workflowID]);
        if (isCancelled !== undefined) work.cancel();
        return isCancelled !== undefined;
      };
      this.#workOf.set(workflowID, work);
      if (this.#isStopping) work.stop();
      await this.#work.run(work, isMine).finally(() => this.#workOf.delete(workflowID));
      // A workflow that does not end is put back by `stop`. One that is another worker's may end: DBOS records nothing of it.
      if (this.#isStopping) await new Promise<never>(() => undefined);
    });
  }

  /** Without an instrumentation that gives traces nothing is asked. */
  async #requestedBy(workflowID: string): Promise<readonly string[]> {
    if (this.#options.instrumentation?.traceparent === undefined) return [];
    // No run fails for its trace.
    const traceparent = await this.#requests.traceparentOf(workflowID).catch(() => undefined);
    return traceparent === undefined ? [] : [traceparent];
  }

  async stop(options: { readonly graceMs?: number } = {}): Promise<void> {
    this.#isStopping = true;
    this.#ending?.stop();
    await this.#work.stop(options);
    // Without a wait for its workflows, which do not end any more.
    if (this.#hasLaunched) await DBOS.shutdown();
    this.#closing.abort(new Error('The worker was stopped.'));
    await Promise.all(this.#repetitions.map((repetition) => repetition.stop()));
    // Without its lock, others take over what was not put back.
    if (this.#hasLaunched)
      await this.#requests.putBackAllOf(this.#executorId).catch((error: unknown) => this.#options.onTrouble?.(error));
    await this.#lock.giveUp();
  }

  async #lookForCancelled(): Promise<void> {
    if (this.#workOf.size > 0) this.cancel(await this.#requests.cancelledOf([...this.#workOf.keys()]));
  }

  /** Takes over what dead and frozen workers had, and puts back what this one does not know of. */
  async #sweep(): Promise<void> {
    await this.#lock.hold();
    const running = await this.#requests.running();
    await this.#putBackStranded(running.get(this.#executorId) ?? []);
    for (const executorId of running.keys()) {
      if (executorId === this.#executorId) continue;
      // Listed anew while the lock is held: another worker may have been here before.
      await this.#lock.withLockOf(executorId, () => this.#requests.putBackAllOf(executorId));
    }
    const cancelled = await this.#requests.cancelledOnTheWay();
    await this.#endCancelled(cancelled.get(this.#executorId) ?? []);
    for (const [executorId, workflowIDs] of cancelled) {
      if (executorId !== this.#executorId)
        await this.#lock.withLockOf(executorId, () => this.#endCancelled(workflowIDs));
    }
  }

  /**
   * Ends the runs of requests that were cancelled while their worker was lost. Nobody takes them over, and their logs would say
   * for ever that they run. The same holds for a run that ended here without saying so.
   */
  async #endCancelled(workflowIDs: readonly string[]): Promise<void> {
    for (const workflowID of workflowIDs) {
      if (this.#isStopping || this.#workOf.has(workflowID)) continue;
      const conversationId = await this.#requests.conversationOf(workflowID);
      // A later request has it.
      if (conversationId !== undefined && this.running.includes(conversationId)) continue;
      this.#ending = conversationId === undefined ? undefined : new ConversationWork(conversationId, this.#options);
      if ((await this.#ending?.endOpenRun()) !== false) await this.#requests.settle(workflowID);
      this.#ending = undefined;
    }
  }

  /**
   * A connection that broke may have lost the answer to a claim, or the record of an end: then the request is this worker's for DBOS, and
   * nobody serves it. One look may come between a claim and its begin, so it takes two. A run too many finds nothing to do.
   */
  async #putBackStranded(workflowIDs: readonly string[]): Promise<void> {
    const unknown = workflowIDs.filter((workflowID) => !this.#workOf.has(workflowID));
    const stranded = unknown.filter((workflowID) => this.#unknown.has(workflowID));
    this.#unknown = new Set(unknown);
    // What a stop leaves is put back when the last run has ended.
    if (!this.#isStopping) await this.#requests.putBack(this.#executorId, stranded);
  }
}

/** The workflow. It returns nothing, so nothing but the id is ever stored by DBOS. */
async function serve(conversationId: string): Promise<void> {
  const { workflowID } = DBOS;
  if (working === undefined || workflowID === undefined) throw new Error('No worker is started in this process.');
  await working.serve(conversationId, workflowID);
}
