import { LeasedSession } from '@palimpsest/postgres';
import type { PostgresClient, PostgresSession } from '@palimpsest/postgres';

const key = `hashtextextended('palimpsest worker ' || $1, 0)`;

/**
 * The lock that says that a worker lives: an advisory lock in a session that the server ends with the process, or when it has heard
 * nothing of it for the lease. Whoever gets the lock of another worker knows that it is dead or frozen.
 */
export class WorkerLock {
  readonly #executorId: string;
  readonly #connect: () => Promise<PostgresSession>;
  readonly #leaseMs: number;
  /** The session that holds the lock. */
  #session: LeasedSession | undefined;
  /** The one in which the lock is being taken: nothing else is asked in it, so that a turn never outlives what its worker knows of it. */
  #taking: LeasedSession | undefined;

  constructor(executorId: string, connect: () => Promise<PostgresSession>, leaseMs: number) {
    this.#executorId = executorId;
    this.#connect = connect;
    this.#leaseMs = leaseMs;
  }

  /**
   * Takes the worker's own lock, unless it has it. Waits while another worker holds it, who takes over what this one had.
   *
   * @param client - of other connections
   * @returns false: it had it all the time since the last call
   * @throws {@link SharedSessionError} when a pooler shares the session: then the lock says nothing.
   */
  async hold(client: PostgresClient): Promise<boolean> {
    if (this.#session?.isLost === false) return false;
    const old = this.#session;
    this.#session = undefined;
    await old?.giveBack();
    const session = new LeasedSession(this.#connect, this.#leaseMs);
    this.#taking = session;
    try {
      await session.query(`select pg_advisory_lock(${key})::text`, [this.#executorId]);
      await session.assertOwn(client);
    } catch (error) {
      session.lose();
      void session.giveBack();
      throw error;
    }
    // Given up meanwhile.
    if (this.#taking !== session) return true;
    this.#taking = undefined;
    this.#session = session;
    return true;
  }

  /** Takes a turn that one worker of all has, and keeps it. Resolves to false when another worker has it. */
  async tryTurn(name: string): Promise<boolean> {
    return (await this.#ask('pg_try_advisory_lock', name)) === 'true';
  }

  /** Gives it up. */
  async giveTurn(name: string): Promise<void> {
    await this.#ask('pg_advisory_unlock', name);
  }

  /** Does the work while it holds the lock of another worker. Resolves to false, and does nothing, when that worker lives. */
  async withLockOf(executorId: string, work: () => Promise<unknown>): Promise<boolean> {
    if ((await this.#ask('pg_try_advisory_lock', executorId)) !== 'true') return false;
    try {
      await work();
    } finally {
      await this.#ask('pg_advisory_unlock', executorId);
    }
    return true;
  }

  /** Gives the lock up. */
  async giveUp(): Promise<void> {
    const [session, taking] = [this.#session, this.#taking];
    this.#session = undefined;
    this.#taking = undefined;
    await session?.giveBack();
    await taking?.giveBack();
  }

  async #ask(lock: 'pg_try_advisory_lock' | 'pg_advisory_unlock', name: string): Promise<string | undefined> {
    const session = this.#session;
    if (session === undefined) return undefined;
    const { rows } = await this.#asking(() => session.query(`select ${lock}(${key})::text as done`, [name]));
    return (rows[0] as { readonly done: string }).done;
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
