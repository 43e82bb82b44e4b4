import type { PostgresClient, PostgresSession } from './client.js';
import { NotEnoughConnectionsError, SharedSessionError } from './errors.js';
import type { LeasedSession } from './leased-session.js';
import { codeOf } from './store-errors.js';

/** The time after which a connection, or an answer beside the sessions, counts as missing. */
const patienceMs = 10_000;

/**
 * What the sessions of a store must be before conversations are opened over them: each a session of the server's own, and together so few
 * that the client still answers.
 */
export class SessionCheck {
  readonly #client: PostgresClient;
  /** The connections that the store needs at the least. */
  readonly #needed: number;
  readonly #open = new Set<LeasedSession>();
  /** The largest number of sessions beside which the client has answered. */
  #proven = 0;

  constructor(client: PostgresClient, sessions: number) {
    this.#client = client;
    this.#needed = sessions + 1;
  }

  /** Opens a connection. @throws {@link NotEnoughConnectionsError} when there is none in time. */
  async connected(connect: () => Promise<PostgresSession>): Promise<PostgresSession> {
    let isLate = false;
    const connecting = connect();
    connecting.then((session) => (isLate ? giveBack(session) : undefined)).catch(() => undefined);
    try {
      return await inTime(connecting, () => this.#missing('`connect` gave no connection.'));
    } catch (error) {
      isLate = true;
      throw isExhausted(error) ? this.#missing('`connect` gave no connection.', error) : error;
    }
  }

  /**
   * Counts a session, and checks it the first time that there are as many.
   *
   * @throws {@link NotEnoughConnectionsError}, {@link SharedSessionError}; what the client throws.
   */
  async add(session: LeasedSession): Promise<void> {
    this.#open.add(session);
    if (this.#open.size <= this.#proven) return;
    const open = this.#open.size;
    const what = `With ${open} sessions for the right to write, no connection was left for reads.`;
    try {
      await inTime(session.assertOwn(this.#client), () => this.#missing(what));
    } catch (error) {
      throw isExhausted(error) ? this.#missing(what, error) : error;
    }
    const live = [...this.#open].filter(({ pid, isLost }) => pid !== undefined && !isLost);
    const pids = live.map(({ pid }) => pid);
    if (new Set(pids).size < pids.length) {
      // Those that were there before hold nothing, either.
      for (const one of live) one.lose();
      throw new SharedSessionError();
    }
    this.#proven = Math.max(this.#proven, open);
  }

  remove(session: LeasedSession): void {
    this.#open.delete(session);
  }

  #missing(what: string, cause?: unknown): Error {
    return new NotEnoughConnectionsError(what, this.#needed, cause);
  }
}

/** Settles as the work does, or rejects when that takes too long. */
async function inTime<T>(work: Promise<T>, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(late()), patienceMs)));
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** The server has no connection left (53300), or the pool has waited for one as long as it does. */
function isExhausted(error: unknown): boolean {
  return codeOf(error) === '53300' || (error instanceof Error && error.message.startsWith('timeout exceeded when'));
}

async function giveBack(session: PostgresSession): Promise<void> {
  await (session.release === undefined ? session.end?.() : session.release());
}
