import { ConversationBusyError } from '@palimpsest/events';
import type { PostgresClient, PostgresSession } from './client.js';
import { LeasedSession } from './leased-session.js';
import type { SessionCheck } from './session-check.js';
import { hexOf, statementName } from './statements.js';
import type { Statements } from './statements.js';
import { asStoreError, codeOf, lockNotAvailable } from './store-errors.js';

/** Options of a {@link LockSession}. */
export interface LockSessionOptions {
  readonly connect: () => Promise<PostgresSession>;
  readonly statements: Statements;
  /** Unit: milliseconds. */
  readonly leaseMs: number;
  readonly check: SessionCheck;
}

/** The time for which a statement waits for a lock, such as one of a row: all conversations of the session wait with it. Unit: milliseconds. */
const lockTimeoutMs = 2_000;

/**
 * The session that holds the locks of conversations which are open for writing. It is connected for the first of them and given back with
 * the last. The server ends it, and with it every lock, when it has heard nothing of it for the lease: the process died with its machine,
 * or is frozen. Appends of writers go through the same session, so none is stored after the locks are lost.
 */
export class LockSession {
  readonly #options: LockSessionOptions;
  #current: Connection | undefined;

  constructor(options: LockSessionOptions) {
    this.#options = options;
  }

  /** The number of conversations that it holds open. */
  get users(): number {
    return this.#current?.users ?? 0;
  }

  /**
   * Takes the locks of a conversation.
   *
   * @throws {@link ConversationBusyError} when another session has them; {@link EventStoreError}.
   */
  async lock(conversationId: string): Promise<HeldLocks> {
    const { statements } = this.#options;
    if (this.#current === undefined || this.#current.isLost) this.#current = new Connection(this.#options);
    const connection = this.#current;
    // Counted before anything is awaited, so that nobody gives the connection back meanwhile.
    connection.users++;
    const id = [hexOf(conversationId)];
    try {
      await connection.checked;
      if (!(await isTrue(connection.query(statements.takeWriter, id)))) {
        throw new ConversationBusyError({ conversationId, ...(await this.#holder(connection, id)) });
      }
      await this.#takeGate(connection, conversationId, id);
      return new HeldLocks(connection, () => this.#giveUp(connection, id));
    } catch (error) {
      if (codeOf(error) === undefined && !ConversationBusyError.isInstance(error)) connection.lose();
      await this.#letGo(connection);
      throw asStoreError(`open '${conversationId}' for writing`, error);
    }
  }

  /** Waits for the appends that are under way; none begins any more. */
  async #takeGate(connection: Connection, conversationId: string, id: unknown[]): Promise<void> {
    const { takeGate, giveUpWriter } = this.#options.statements;
    try {
      await connection.query(takeGate, id);
    } catch (error) {
      if (codeOf(error) !== lockNotAvailable) throw error;
      await connection.query(giveUpWriter, id);
      throw new ConversationBusyError({ conversationId, holder: 'an append of another session', cause: error });
    }
  }

  async #holder(connection: Connection, id: unknown[]): Promise<{ readonly holder?: string }> {
    // Only for the message: who may not see the sessions of others gets none.
    const { rows } = await connection.query(this.#options.statements.holder, id).catch(() => ({ rows: [] }));
    const row = rows[0] as { readonly pid: string; readonly name: string | null } | undefined;
    if (row === undefined) return {};
    return { holder: `the database session ${row.pid}${row.name ? ` of '${row.name}'` : ''}` };
  }

  async #giveUp(connection: Connection, id: unknown[]): Promise<void> {
    // If the session is lost, the server has given up its locks.
    if (!connection.isLost) {
      await connection.query(this.#options.statements.giveUp, id).catch(() => connection.lose());
    }
    await this.#letGo(connection);
  }

  async #letGo(connection: Connection): Promise<void> {
    connection.users--;
    if (connection.users > 0) return;
    if (this.#current === connection) this.#current = undefined;
    this.#options.check.remove(connection);
    await connection.giveBack();
  }
}

/** One connection, from its first conversation to its last. */
class Connection extends LeasedSession {
  users = 0;
  /** Settles when conversations may be opened over it, or may not. */
  readonly checked: Promise<void>;

  constructor({ connect, leaseMs, check }: LockSessionOptions) {
    super(() => check.connected(connect), leaseMs, { lockTimeoutMs });
    this.checked = check.add(this);
    // Whoever opens a conversation learns of it.
    this.checked.catch(() => undefined);
  }
}

/** The locks of one conversation, until they are given up. */
export class HeldLocks {
  readonly #connection: Connection;
  /** Gives the locks up, and the connection if nobody needs it any more. */
  readonly giveUp: () => Promise<void>;

  constructor(connection: Connection, giveUp: () => Promise<void>) {
    this.#connection = connection;
    this.giveUp = giveUp;
  }

  /** The server's process that holds the locks. */
  get pid(): string {
    return this.#connection.pid ?? '';
  }

  /**
   * Runs statements in the session that holds the locks.
   *
   * @param areNamed - whether the statements have names. Undefined: where the connection says that it takes them
   */
  client(areNamed: boolean | undefined): PostgresClient {
    if (!(areNamed ?? this.#connection.takesNames)) return this.#connection;
    return {
      query: (text, params = []) => this.#connection.query({ name: statementName(text), text, values: params }),
    };
  }

  /** The session is gone, and so are the locks. */
  get areLost(): boolean {
    return this.#connection.isLost;
  }

  /** Called when a statement failed and the server did not say why: the connection cannot be trusted any more. */
  lose(): void {
    this.#connection.lose();
  }
}

async function isTrue(answer: Promise<{ readonly rows: readonly unknown[] }>): Promise<boolean> {
  const { rows } = await answer;
  return (rows[0] as { readonly taken: string } | undefined)?.taken === 'true';
}
