import { EventStoreError } from '@palimpsest/events';
import type { PostgresSession } from './client.js';

/** A `Pool` of `pg`. */
export interface PgPool {
  /** The settings with which the pool connects. */
  readonly options: object;
}

/** A `Client` of `pg`, as far as it is used here. */
interface PgClient extends PostgresSession {
  connect(): Promise<unknown>;
  end(): Promise<void>;
  readonly connection: { readonly stream: { destroy(): unknown } };
}

/** The time that a connection may take to begin. */
const connectionTimeoutMs = 10_000;

/**
 * Returns a `connect` for {@link postgresEventStore}: each call opens a connection of its own with the settings of a pool of `pg`, and outside
 * of it. So who waits for the pool never waits for those that hold the right to write.
 *
 * @throws {@link EventStoreError} when it is no pool of `pg`.
 */
export function connectionsBeside(pool: PgPool): () => Promise<PostgresSession> {
  const { Client } = pool as { readonly Client?: new (options: object) => PgClient };
  if (Client === undefined) throw new EventStoreError('connectionsBeside needs a Pool of pg.');
  return async () => {
    // The same object: the pool hides the password in it from copies.
    const client = new Client(pool.options);
    const abandon = () => void client.connection.stream.destroy();
    const ignore = () => undefined;
    client.on?.('error', ignore);
    const timer = setTimeout(abandon, connectionTimeoutMs);
    try {
      await client.connect();
    } finally {
      clearTimeout(timer);
    }
    // A goodbye waits for a server that may be silent.
    client.release = (destroy) => (destroy === true ? abandon() : client.end());
    client.takesNames = true;
    return client;
  };
}
