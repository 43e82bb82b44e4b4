import { EventStoreError } from '@palimpsest/events';
import type { NamedStatement, PostgresClient, PostgresSession } from './client.js';

/**
 * A session of the server that ends with the process, or with its life: the server ends it when it has heard nothing of it for the lease,
 * and with it every advisory lock that it holds. A timer is heard of three times in that time. It keeps no process alive.
 *
 * The other way round, the session is given up when the server has not answered a statement for the lease: the connection may be silent
 * without an end, behind a firewall or a proxy. So do not wait for a lock in it, ask: for locks of your own, beside those of the store,
 * `await session.query('select pg_try_advisory_lock($1)', [key])`.
 */
export class LeasedSession implements PostgresClient {
  #isLost = false;
  readonly #connected: Promise<PostgresSession>;
  /** As soon as there is one. */
  #session: PostgresSession | undefined;
  /** The statement that was asked last: a client runs one at a time. */
  #last: Promise<unknown>;
  readonly #leaseMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Fails the statement that is under way. */
  #fail: ((error: Error) => void) | undefined;
  /** The number of ticks of the timer since that statement was sent. */
  #ticks = 0;
  // The connection may break while nothing is asked; without a listener the process would end.
  readonly #onError = () => this.lose();

  /**
   * Connects.
   *
   * @param leaseMs - unit: milliseconds
   * @throws {@link EventStoreError} when the lease is no whole number of milliseconds that the server can keep.
   */
  constructor(connect: () => Promise<PostgresSession>, leaseMs: number) {
    assertLease(leaseMs);
    this.#leaseMs = leaseMs;
    this.#connected = this.#connect(connect);
    // Whoever needs the session learns of the failure.
    this.#last = this.#connected.catch(() => this.lose());
  }

  /** True if the session is known to have ended. What it locked, others may have. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /**
   * Runs a statement, after those that were asked for before.
   *
   * @param text - with a name only where the client is that of `pg`, or takes what it takes
   * @throws {@link EventStoreError} when the session is lost, also by this: the server has not answered for the lease.
   */
  query(text: string | NamedStatement, params?: unknown[]): Promise<{ readonly rows: readonly unknown[] }> {
    const answer = this.#last.then(async () => this.#ask(await this.#connected, text, params));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async #connect(connect: () => Promise<PostgresSession>): Promise<PostgresSession> {
    const session = await connect();
    this.#session = session;
    session.on?.('error', this.#onError);
    this.#timer = setInterval(() => this.#tick(), this.#leaseMs / 3);
    (this.#timer as { unref?: () => void }).unref?.();
    await this.#ask(session, `set idle_session_timeout = ${this.#leaseMs}`);
    return session;
  }

  async #ask(session: PostgresSession, text: string | NamedStatement, params?: unknown[]) {
    if (this.#isLost) throw new EventStoreError('The session of PostgreSQL is lost.');
    this.#ticks = 0;
    try {
      return await new Promise<{ readonly rows: readonly unknown[] }>((resolve, reject) => {
        this.#fail = reject;
        // Who names a statement says that the client takes it.
        session.query(text as string, params).then(resolve, reject);
      });
    } finally {
      this.#fail = undefined;
    }
  }

  /**
   * Lets the server hear of the session while the process is alive, and notices when the server is not heard of. Counts ticks and not time:
   * between two of them an answer that has come is read, however long the process did not run.
   */
  #tick(): void {
    if (this.#fail === undefined) return void this.query('select').catch(() => this.lose());
    // The statement was asked before the first of them.
    if (++this.#ticks <= 3) return;
    this.lose();
    this.#fail(new EventStoreError(`PostgreSQL has not answered for ${this.#leaseMs} ms.`));
  }

  /** The connection cannot be trusted any more: a statement failed, and the server did not say why. */
  lose(): void {
    this.#isLost = true;
  }

  /** Gives the connection back to its pool, or closes it. Locks that were not given up go with a connection that is closed. */
  async giveBack(): Promise<void> {
    await this.#connected.catch(() => undefined);
    const session = this.#session;
    if (session === undefined) return;
    // Before a goodbye, for which a client would wait as long as the server is silent.
    if (!this.#isLost) await this.query('reset idle_session_timeout').catch(() => this.lose());
    clearInterval(this.#timer);
    if (session.release !== undefined) await session.release(this.#isLost);
    else await Promise.resolve(session.end?.()).catch(() => undefined);
    // A broken connection may report its end once more.
    if (!this.#isLost) session.off?.('error', this.#onError);
  }
}

/** @throws {@link EventStoreError} when the lease is no whole number of milliseconds that the server can keep. */
export function assertLease(leaseMs: number): void {
  if (Number.isSafeInteger(leaseMs) && leaseMs >= 100 && leaseMs <= 2_147_483_647) return;
  throw new EventStoreError(`leaseMs is ${String(leaseMs)}; it has to be a whole number of milliseconds, 100 or more.`);
}
