import { LeasedSession } from '@palimpsest/postgres';
import type { PostgresSession } from '@palimpsest/postgres';

const key = `hashtextextended('palimpsest worker ' || $1, 0)`;

/**
 * The lock that says that a worker lives: an advisory lock in a session that the server ends with the process, or when it has heard
 * nothing of it for the lease. Whoever gets the lock of another worker knows that it is dead or frozen.
 */
export class WorkerLock {
  readonly #executorId: string;
  readonly #connect: () => Promise<PostgresSession>;
  readonly #leaseMs: number;
  #session: LeasedSession | undefined;

  constructor(executorId: string, connect: () => Promise<PostgresSession>, leaseMs: number) {
    this.#executorId = executorId;
    this.#connect = connect;
    this.#leaseMs = leaseMs;
  }

  /** Takes the worker's own lock, unless it has it. Waits while another worker holds it, who takes over what this one had. */
  async hold(): Promise<void> {
    if (this.#session?.isLost === false) return;
    await this.#session?.giveBack();
    const session = new LeasedSession(this.#connect, this.#leaseMs);
    this.#session = session;
    await this.#asking(() => session.query(`select pg_advisory_lock(${key})::text`, [this.#executorId]));
  }

  /** Does the work while it holds the lock of another worker. Resolves to false, and does nothing, when that worker lives. */
  async withLockOf(executorId: string, work: () => Promise<unknown>): Promise<boolean> {
    const session = this.#session;
    if (session === undefined) return false;
    const { rows } = await this.#asking(() =>
      session.query(`select pg_try_advisory_lock(${key})::text as taken`, [executorId]),
    );
    if ((rows[0] as { readonly taken: string }).taken !== 'true') return false;
    try {
      await work();
    } finally {
      await this.#asking(() => session.query(`select pg_advisory_unlock(${key})::text`, [executorId]));
    }
    return true;
  }

  /** Gives the lock up. */
  async giveUp(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.giveBack();
  }

  /** A statement that fails may have lost the session: the next one connects anew. */
  async #asking<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      this.#session?.lose();
      throw error;
    }
  }
}
