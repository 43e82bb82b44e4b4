import { EventStoreError } from '@palimpsest/events';
import type { PostgresClient, PostgresSession } from './client.js';

/**
 * A session of the server that ends with the process, or with its life: the server ends it when it has heard nothing of it for the lease,
 * and with it every advisory lock that it holds. A timer is heard of three times in that time. It keeps no process alive.
 *
 * For locks of your own, beside those of the store: `await session.query('select pg_advisory_lock($1)', [key])`.
 */
export class LeasedSession implements PostgresClient {
  #isLost = false;
  readonly #connected: Promise<PostgresSession>;
  /** The statement that was asked last: a client runs one at a time. */
  #last: Promise<unknown>;
  #ping: ReturnType<typeof setInterval> | undefined;
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
    this.#connected = this.#connect(connect, leaseMs);
    // Whoever needs the session learns of the failure.
    this.#last = this.#connected.catch(() => this.lose());
  }

  /** Whether the session is known to have ended. What it locked, others may have. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Runs a statement, after those that were asked for before. */
  query(text: string, params?: unknown[]): Promise<{ readonly rows: readonly unknown[] }> {
    const answer = this.#last.then(async () => (await this.#connected).query(text, params));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  async #connect(connect: () => Promise<PostgresSession>, leaseMs: number): Promise<PostgresSession> {
    const session = await connect();
    session.on?.('error', this.#onError);
    await session.query(`set idle_session_timeout = ${leaseMs}`);
    // The server hears of the session while the process is alive. Keeps no process alive.
    this.#ping = setInterval(() => void this.query('select').catch(() => this.lose()), leaseMs / 3);
    (this.#ping as { unref?: () => void }).unref?.();
    return session;
  }

  /** The connection cannot be trusted any more: a statement failed, and the server did not say why. */
  lose(): void {
    this.#isLost = true;
    clearInterval(this.#ping);
  }

  /** Gives the connection back to its pool, or closes it. Locks that were not given up go with a connection that is closed. */
  async giveBack(): Promise<void> {
    clearInterval(this.#ping);
    const session = await this.#connected.catch(() => undefined);
    if (session === undefined) return;
    if (!this.#isLost) await this.query('reset idle_session_timeout').catch(() => this.lose());
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
