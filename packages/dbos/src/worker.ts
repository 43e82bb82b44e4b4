import { randomUUID } from 'node:crypto';
import { ConversationWork, RunningWork } from '@palimpsest/agent/runner';
import type { PostgresClient } from '@palimpsest/postgres';
import { AloneTurn } from './alone-turn.js';
import { within } from './answers.js';
import type { Database } from './database.js';
import type { DbosRunnerOptions } from './options.js';
import { Outages } from './outages.js';
import { Repetition } from './repetition.js';
import type { Request, Requests } from './requests.js';
import { Serving } from './serving.js';
import { explanationOfDeaths } from './troubles.js';
import type { Troubles } from './troubles.js';
import { WorkerLock } from './worker-lock.js';
import { Workers } from './workers.js';

/** The part of the grace of a stop that is kept for what is noted when the runs have ended. */
const notingPart = 0.2;
/** The least of it. Unit: milliseconds. */
const leastNotingMs = 1_000;

/** A worker from a start to a stop. */
export class Worker {
  /** New each time: a worker that comes back is another one. */
  readonly #id = randomUUID();
  readonly #options: DbosRunnerOptions;
  readonly #requests: Requests;
  readonly #troubles: Troubles;
  readonly #outages: Outages;
  readonly #workers: Workers;
  readonly #lock: WorkerLock;
  readonly #client: PostgresClient;
  readonly #running = new RunningWork();
  /** The requests that are served, by their ids. */
  readonly #servings = new Map<string, { readonly serving: Serving; readonly done: Promise<void> }>();
  /** The requests that count to this worker and that it does not know, since the last look. */
  #unknown: ReadonlySet<string> = new Set();
  #look: Repetition | undefined;
  #repetitions: readonly Repetition[] = [];
  readonly #aloneTurn: AloneTurn;
  #isAlone = false;
  /** The run of a cancelled request that is being ended. */
  #ending: ConversationWork | undefined;
  #isStopping = false;
  /** Ends attempts to connect and to note something: a server that does not answer holds up no stop. */
  readonly #closing = new AbortController();
  /** The requests that this worker has taken over from others. */
  takeovers = 0;

  constructor(options: DbosRunnerOptions, database: Database, requests: Requests, troubles: Troubles) {
    const { name = 'palimpsest', leaseMs = 30_000 } = options;
    this.#options = options;
    this.#requests = requests;
    this.#troubles = troubles;
    this.#outages = new Outages(database, name);
    this.#workers = new Workers(database, name);
    this.#client = { query: async (text, params = []) => ({ rows: await database.query(text, params) }) };
    const session = () => database.connect(`palimpsest ${this.#id}`, this.#closing.signal);
    this.#lock = new WorkerLock(this.#id, session, leaseMs);
    const { pollMs = 1_000 } = options;
    this.#aloneTurn = new AloneTurn({ name, pollMs, lock: this.#lock, workers: this.#workers });
  }

  get running(): readonly string[] {
    return this.#running.conversationIds;
  }

  async start(): Promise<void> {
    // Before the first request: nobody may take this worker for dead.
    await this.#lock.hold(this.#client);
    await this.#workers.works(this.#id);
    const { pollMs = 1_000, sweepMs = 5_000, onTrouble } = this.#options;
    this.#look = new Repetition((isEarly) => this.#lookForRequests(isEarly), pollMs, onTrouble);
    this.#repetitions = [
      this.#look,
      new Repetition(() => this.#sweep(), sweepMs, onTrouble),
      new Repetition(() => this.#lookForDue(), pollMs, onTrouble),
      new Repetition(() => this.#lookForCancelled(), pollMs, onTrouble),
    ];
  }

  /** Looks for requests at once. */
  wake(): void {
    this.#look?.soon();
  }

  /** Interrupts those of these requests that run here. */
  cancel(ids: readonly string[]): void {
    for (const id of ids) this.#servings.get(id)?.serving.work.cancel();
  }

  /** Ends in its grace, whether or not the server answers: what is not put back by then, others take over. */
  async stop({ graceMs = 30_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#isStopping = true;
    this.#ending?.stop();
    const notingMs = Math.max(leastNotingMs, graceMs * notingPart);
    const { onTrouble } = this.#options;
    const attempt = (work: Promise<unknown>, ms = notingMs) =>
      within(ms, work, 'a stop').catch((error: unknown) => onTrouble?.(error));
    // Others may not take it for dead when it is killed in its grace.
    const told = attempt(this.#workers.isStopping(this.#id));
    const runsMs = Math.max(graceMs - notingMs, 0);
    const all = async () => {
      await this.#running.stop({ graceMs: runsMs });
      // Each has put its request back by itself.
      await Promise.allSettled([...this.#servings.values()].map(({ done }) => done));
    };
    await attempt(all(), runsMs + notingMs);
    this.#closing.abort(new Error('The worker was stopped.'));
    await attempt(Promise.all([told, ...this.#repetitions.map((repetition) => repetition.stop())]), leastNotingMs);
    await attempt(this.#putBackAll(), leastNotingMs);
    // Without its lock, others take over what was not put back.
    await attempt(this.#lock.giveUp(), leastNotingMs);
  }

  async #putBackAll(): Promise<void> {
    const mine = (await this.#requests.running()).get(this.#id) ?? [];
    for (const id of mine) await this.#requests.putBack(this.#id, id);
    await this.#workers.hasEnded(this.#id);
  }

  /** Claims as many requests as there are free places. */
  async #lookForRequests(isEarly: boolean): Promise<void> {
    if (this.#isStopping || this.#isAlone || (await this.#lookForAlone())) return;
    const free = (this.#options.maxConcurrentRuns ?? 4) - this.#servings.size;
    if (free <= 0) return;
    for (const request of await this.#requests.claim(this.#id, free, isEarly ? 'last' : 'start')) {
      if (this.#isStopping) await this.#requests.putBack(this.#id, request.id);
      else void this.#serve(request);
    }
  }

  /** Serves a request that has to run alone, or makes room for it. Resolves to false if others are to be claimed. */
  async #lookForAlone(): Promise<boolean> {
    const waitedMs = await this.#requests.aloneWaitedMs();
    if (waitedMs === undefined) {
      await this.#aloneTurn.give();
      return false;
    }
    const isIdle = this.#servings.size === 0;
    if (!(await this.#aloneTurn.take({ isIdle, waitedMs }))) return false;
    if (isIdle) await this.#serveAlone();
    else if (!this.#aloneTurn.isDraining) {
      await this.#aloneTurn.giveUp();
      return false;
    } else {
      // Others go on with them, each after its present step.
      for (const { serving } of this.#servings.values()) serving.work.stop();
    }
    return true;
  }

  /** Lets requests wait for a place whose delay is over. */
  async #lookForDue(): Promise<void> {
    if (await this.#requests.wakeDue()) this.wake();
  }

  async #serveAlone(): Promise<void> {
    const request = await this.#requests.claimAlone(this.#id);
    if (request === undefined) return this.#aloneTurn.give();
    if (this.#isStopping) return void (await this.#requests.putBack(this.#id, request.id, { isAlone: true }));
    this.#isAlone = true;
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      this.#isAlone = false;
      this.#aloneTurn
        .give()
        .catch((error: unknown) => this.#options.onTrouble?.(error))
        .finally(() => this.wake());
    };
    void this.#serve(request, over).finally(over);
  }

  /** @param onCleared - called when others may run beside it, though it runs alone */
  #serve(request: Request, onCleared?: () => void): Promise<void> {
    const { id, conversationId, traceparent } = request;
    const requestedBy = traceparent === undefined ? [] : [traceparent];
    const work = new ConversationWork(conversationId, this.#options, requestedBy);
    const serving = new Serving(request, work, {
      workerId: this.#id,
      options: this.#options,
      requests: this.#requests,
      troubles: this.#troubles,
      outages: this.#outages,
      running: this.#running,
      closing: this.#closing.signal,
      onCleared,
    });
    const done = serving
      .done()
      // The worker ends. Whoever takes the request over finds it as it is.
      .catch(() => undefined)
      .finally(() => {
        this.#servings.delete(id);
        this.wake();
      });
    this.#servings.set(id, { serving, done });
    return done;
  }

  async #lookForCancelled(): Promise<void> {
    if (this.#servings.size > 0) this.cancel(await this.#requests.cancelledOf(this.#id, [...this.#servings.keys()]));
  }

  /** Takes over what dead and frozen workers had, and puts back what this one does not know of. */
  async #sweep(): Promise<void> {
    if (await this.#lock.hold(this.#client)) {
      // Others may have taken this worker for dead.
      this.#aloneTurn.lose();
      await this.#troubles.livesAgain(this.#id);
      await this.#workers.works(this.#id);
    }
    const running = await this.#requests.running();
    await this.#putBackStranded(running.get(this.#id) ?? []);
    for (const id of new Set([...running.keys(), ...(await this.#workers.ids())])) {
      if (id !== this.#id) await this.#lock.withLockOf(id, () => this.#takeOver(id));
    }
    const cancelled = await this.#requests.cancelledOnTheWay();
    await this.#endCancelled(cancelled.get(this.#id) ?? []);
    for (const [id, requests] of cancelled) {
      if (id !== this.#id) await this.#lock.withLockOf(id, () => this.#endCancelled(requests));
    }
    await this.#enqueueOverdue();
  }

  /** Puts back what a dead worker had, and gives up what has ended too many workers. */
  async #takeOver(worker: string): Promise<void> {
    const wasStopping = await this.#workers.wasStopping(worker);
    // Listed anew while the lock is held: another worker may have been here before.
    for (const id of (await this.#requests.running()).get(worker) ?? []) {
      this.takeovers++;
      await this.#outages.release(id);
      const { isGivenUp, isToRunAlone } = wasStopping
        ? { isGivenUp: false, isToRunAlone: false }
        : await this.#troubles.died(id, worker);
      const conversationId = isGivenUp ? await this.#requests.conversationOf(id) : undefined;
      if (conversationId === undefined) await this.#requests.putBack(worker, id, { isAlone: isToRunAlone });
      else {
        await this.#troubles.giveUp({ id, worker }, conversationId, 'deaths', explanationOfDeaths);
        await this.#requests.end(worker, id);
      }
    }
    await this.#workers.hasEnded(worker);
    this.wake();
  }

  /**
   * Ends the runs of requests that were cancelled while their worker was lost. Nobody takes them over, and their logs would say
   * for ever that they run. The same holds for a run that ended here without saying so.
   */
  async #endCancelled(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      if (this.#isStopping || this.#servings.has(id)) continue;
      const conversationId = await this.#requests.conversationOf(id);
      // A later request has it.
      if (conversationId !== undefined && this.running.includes(conversationId)) continue;
      this.#ending = conversationId === undefined ? undefined : new ConversationWork(conversationId, this.#options);
      if ((await this.#ending?.endOpenRun()) !== false) await this.#requests.settle(id);
      this.#ending = undefined;
    }
  }

  /**
   * A connection that broke may have lost the answer to a claim: then the request is this worker's, and nobody serves it. One look may
   * come between a claim and its begin, so it takes two. A run too many finds nothing to do.
   */
  async #putBackStranded(ids: readonly string[]): Promise<void> {
    const unknown = ids.filter((id) => !this.#servings.has(id));
    const stranded = unknown.filter((id) => this.#unknown.has(id));
    this.#unknown = new Set(unknown);
    for (const id of stranded) await this.#requests.putBack(this.#id, id);
  }

  /** Asks for a run of conversations whose messages wait though nobody has asked: their sender may have died in between. */
  async #enqueueOverdue(): Promise<void> {
    const { sweepMs = 5_000, inbox } = this.#options;
    const overdue = await inbox?.overdue?.({ olderThanMs: 2 * sweepMs, limit: 100 });
    for (const conversationId of overdue ?? []) await this.#requests.add(conversationId, undefined, 0);
  }
}
