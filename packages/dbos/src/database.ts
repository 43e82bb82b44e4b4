import { DBOS } from '@dbos-inc/dbos-sdk';
import { Socket } from 'node:net';
import pg from 'pg';

/** The time that a connection may take to begin. */
const connectionTimeoutMillis = 10_000;

/** The database of a runner: a pool of connections for all that DBOS does, whose tables exist before its first use. */
export class Database {
  readonly url: string;
  readonly #silenceMs: number;
  #pool: Promise<pg.Pool> | undefined;

  /**
   * @param url - with user and database
   * @param silenceMs - how long a statement waits for its answer until its connection counts as lost. Unit: milliseconds
   */
  constructor(url: string, silenceMs: number) {
    this.url = url;
    this.#silenceMs = silenceMs;
  }

  /** The pool, when DBOS's tables exist. What failed is tried again at the next call. */
  pool(): Promise<pg.Pool> {
    this.#pool ??= this.#connect().catch((error: unknown) => {
      this.#pool = undefined;
      throw error;
    });
    return this.#pool;
  }

  /** Closes the connections. The next use opens new ones. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await (await pool?.catch(() => undefined))?.end();
  }

  async #connect(): Promise<pg.Pool> {
    await makeTables(this.url);
    const pool = new pg.Pool({
      connectionString: this.url,
      connectionTimeoutMillis,
      idle_in_transaction_session_timeout: 60_000,
      // Not by a limit of statements: DBOS tries again after lost connections, and a connection that is given up must not be used again.
      stream: () => {
        const socket = new Socket();
        return socket.setTimeout(this.#silenceMs, () => socket.destroy());
      },
    });
    // What fails for a connection that ends is told to whoever asked by it.
    pool.on('error', () => undefined);
    return pool;
  }
}

/**
 * Opens a connection of its own. It may end while nothing is asked: without a listener the process would end, too.
 *
 * @param signal - ends the attempt to connect, and nothing afterwards
 */
export async function connect(url: string, name?: string, signal?: AbortSignal): Promise<pg.Client> {
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis,
    stream: () => socket,
  });
  client.on('error', () => undefined);
  signal?.throwIfAborted();
  const end = () => socket.destroy();
  signal?.addEventListener('abort', end);
  try {
    await client.connect();
  } finally {
    signal?.removeEventListener('abort', end);
  }
  return client;
}

/** Makes DBOS's tables, unless they exist. One process at a time: two that make them at once disturb each other. */
async function makeTables(url: string): Promise<void> {
  const client = await connect(url);
  try {
    // Asked again and again: DBOS makes indexes concurrently, and those wait for each statement that is under way, one that waits for
    // this lock included.
    while (!(await tryLock(client))) await new Promise((resolve) => setTimeout(resolve, 100));
    await DBOS.migrate(url);
  } finally {
    // The lock ends with its session.
    await client.end();
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    `select pg_try_advisory_lock(hashtextextended('palimpsest dbos tables', 0)) as taken`,
  );
  return rows[0]?.taken === true;
}
