import { Socket } from 'node:net';
import pg from 'pg';
import { answerMs, within } from './answers.js';
import { makeTables } from './tables.js';

/** The database of a runner: a pool of connections for its requests, whose tables exist before its first use. */
export class Database {
  readonly url: string;
  readonly #silenceMs: number;
  readonly #sockets = new Set<Socket>();
  #pool: Promise<pg.Pool> | undefined;

  /**
   * @param url - with user and database
   * @param silenceMs - how long a statement waits for its answer until its connection counts as lost. Unit: milliseconds
   */
  constructor(url: string, silenceMs: number) {
    this.url = url;
    this.#silenceMs = silenceMs;
  }

  /** Makes the tables, if it is the first use of all. That may take longer than an answer. */
  async ready(): Promise<void> {
    await this.#connected();
  }

  /** Runs a statement. */
  async query<Row extends object>(text: string, values: unknown[]): Promise<readonly Row[]> {
    const pool = await this.#connected();
    return (await pool.query<Row>(text, values)).rows;
  }

  /**
   * Opens a connection of its own. It may end while nothing is asked: without a listener the process would end, too.
   *
   * @param signal - ends the attempt to connect, and nothing afterwards
   */
  async connect(name?: string, signal?: AbortSignal): Promise<pg.Client> {
    signal?.throwIfAborted();
    const socket = this.#newSocket();
    const client = new pg.Client({
      connectionString: this.url,
      ...(name === undefined ? {} : { application_name: name }),
      connectionTimeoutMillis: answerMs,
      stream: () => socket,
    });
    client.on('error', () => undefined);
    const end = () => socket.destroy();
    signal?.addEventListener('abort', end);
    try {
      await client.connect();
    } finally {
      signal?.removeEventListener('abort', end);
    }
    return client;
  }

  /**
   * Closes all connections, also those that a silent server keeps open. The next use opens new ones.
   *
   * @param graceMs - how long statements under way are waited for. Unit: milliseconds
   */
  async close(graceMs = 1_000): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    const ended = pool?.then((one) => one.end()) ?? Promise.resolve();
    await within(graceMs, ended, 'the end of its connections').catch(() => undefined);
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The pool, when the tables exist. What failed is tried again at the next call. */
  #connected(): Promise<pg.Pool> {
    this.#pool ??= this.#connect().catch((error: unknown) => {
      this.#pool = undefined;
      throw error;
    });
    return this.#pool;
  }

  async #connect(): Promise<pg.Pool> {
    await makeTables(this);
    const pool = new pg.Pool({
      connectionString: this.url,
      connectionTimeoutMillis: answerMs,
      idle_in_transaction_session_timeout: 60_000,
      max: 4,
      // Not by a limit of statements: a connection that is given up must not be used again.
      stream: () => {
        const socket = this.#newSocket();
        return socket.setTimeout(this.#silenceMs, () => socket.destroy());
      },
    });
    // What fails for a connection that ends is told to whoever asked by it.
    pool.on('error', () => undefined);
    return pool;
  }

  #newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once('close', () => this.#sockets.delete(socket));
  }
}
