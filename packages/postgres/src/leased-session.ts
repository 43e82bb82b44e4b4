import { EventStoreError } from '@palimpsest/events';
import type { NamedStatement, PostgresClient, PostgresSession } from './client.js';
import { SharedSessionError } from './errors.js';

/** Options of a {@link LeasedSession}. */
export interface LeasedSessionOptions {
  /** The time for which a statement of the session may wait for a lock. Unit: milliseconds. @defaultValue as the server is set */
  readonly lockTimeoutMs?: number;
  /** Called once, when the session is known to have ended. It must not throw. @defaultValue nobody is told */
  readonly onLost?: () => void;
}

const ownProcess = 'select pg_backend_pid()::text as pid';

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
  readonly #lockTimeoutMs: number | undefined;
  readonly #onLost: (() => void) | undefined;
  #pid: string | undefined;
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
  constructor(connect: () => Promise<PostgresSession>, leaseMs: number, options: LeasedSessionOptions = {}) {
    assertLease(leaseMs);
    this.#leaseMs = leaseMs;
    this.#lockTimeoutMs = options.lockTimeoutMs;
    this.#onLost = options.onLost;
    this.#connected = this.#connect(connect);
    // Whoever needs the session learns of the failure.
    this.#last = this.#connected.catch(() => this.lose());
  }

  /** True if the session is known to have ended. What it locked, others may have. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** True if the connection is there and takes statements with names. */
  get takesNames(): boolean {
    return this.#session?.takesNames === true;
  }

  /** The server's process of the session, once it is connected. */
  get pid(): string | undefined {
    return this.#pid;
  }

  /**
   * Checks that the session is not that of another client, too: a pooler would share it.
   *
   * @throws {@link SharedSessionError}; what the client throws.
   */
  async assertOwn(client: PostgresClient): Promise<void> {
    const pid = pidOf(await this.query(ownProcess));
    if (pid !== this.#pid || pid === pidOf(await client.query(ownProcess))) throw new SharedSessionError();
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
    if (this.#lockTimeoutMs !== undefined) await this.#ask(session, `set lock_timeout = ${this.#lockTimeoutMs}`);
    this.#pid = pidOf(await this.#ask(session, ownProcess));
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
    if (this.#fail === undefined) return void this.#showLife().catch(() => this.lose());
    // The statement was asked before the first of them.
    if (++this.#ticks <= 3) return;
    this.lose();
    this.#fail(new EventStoreError(`PostgreSQL has not answered for ${this.#leaseMs} ms.`));
  }

  async #showLife(): Promise<void> {
    // In another process of the server nothing is locked.
    if (pidOf(await this.query(ownProcess)) !== this.#pid) throw new SharedSessionError();
  }

  /** The connection cannot be trusted any more: a statement failed, and the server did not say why. */
  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#onLost?.();
  }

  /** Gives the connection back to its pool, or closes it. Locks that were not given up go with a connection that is closed. */
  async giveBack(): Promise<void> {
    await this.#connected.catch(() => undefined);
    const session = this.#session;
    if (session === undefined) return;
    // Before a goodbye, for which a client would wait as long as the server is silent.
    if (!this.#isLost) await this.query('reset idle_session_timeout').catch(() => this.lose());
    if (!this.#isLost && this.#lockTimeoutMs !== undefined)
      await this.query('reset lock_timeout').catch(() => this.lose());
    clearInterval(this.#timer);
    if (session.release !== undefined) await session.release(this.#isLost);
    else await Promise.resolve(session.end?.()).catch(() => undefined);
    // A broken connection may report its end once more.
    if (!this.#isLost) session.off?.('error', this.#onError);
  }
}

function pidOf({ rows }: { readonly rows: readonly unknown[] }): string | undefined {
  return (rows[0] as { readonly pid: string } | undefined)?.pid;
}

/** @throws {@link EventStoreError} when the lease is no whole number of milliseconds that the server can keep. */
export function assertLease(leaseMs: number): void {
  if (Number.isSafeInteger(leaseMs) && leaseMs >= 100 && leaseMs <= 2_147_483_647) return;
  throw new EventStoreError(`leaseMs is ${String(leaseMs)}; it has to be a whole number of milliseconds, 100 or more.`);
}
