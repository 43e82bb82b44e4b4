/**
 * The client that runs the store's queries: a `Pool` or a connected `Client` of `pg`, a `PGlite`, or anything with this
 * method. The store does not open it and does not close it.
 */
export interface PostgresClient {
  /** Runs one statement. Parameters are strings, numbers, null and arrays of strings; all columns of the store's statements are text. */
  query(text: string, params?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A statement with a name, which the server parses and plans once for each connection: what `pg` takes for a query. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/**
 * One connection of its own, which is one session of the server until it is given back: what {@link connectionsBeside} opens, a client from
 * `pool.connect()` of `pg`, or a connected `Client`. A pooler between them must not share a session (PgBouncer: pool mode `session`).
 */
export interface PostgresSession extends PostgresClient {
  /** Gives the connection back to its pool; with `true` the pool closes it. */
  release?(destroy?: boolean): unknown;
  /** Closes the connection, where there is no `release`. */
  end?(): unknown;
  /** Listens for the report of a connection that it broke while no statement ran. */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /** Listens for what `NOTIFY` sends, where the client hands that on. */
  on?(event: 'notification', listener: (message: Notification) => void): unknown;
  off?(event: 'error', listener: (error: Error) => void): unknown;
  /** True if `query` takes a {@link NamedStatement}, as that of `pg` does. @defaultValue false */
  takesNames?: boolean;
  /** Lets the process end while the connection is open. */
  unref?(): unknown;
}

/** A notification that `NOTIFY` sent over a channel. */
export interface Notification {
  readonly channel: string;
  readonly payload?: string;
}
