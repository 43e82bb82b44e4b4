import { EventStoreError, PalimpsestError } from '@palimpsest/events';

/**
 * The store got no connection, or none was left for reads beside those that hold the right to write. The number that it needs is
 * `needed`.
 */
export class NotEnoughConnectionsError extends EventStoreError {
  static override get typeName(): string {
    return 'NotEnoughConnectionsError';
  }

  /** The number of connections that this store alone needs at the least. */
  readonly needed: number;

  constructor(what: string, needed: number, cause?: unknown) {
    super(
      `${what} The store needs ${needed} connections: ${needed - 1} for the right to write (\`writerConnections\`) and at the least 1 for ` +
        'reads. Take those for the right to write outside of the pool, by `connect: connectionsBeside(pool)`, or give the pool a larger ' +
        '`max`, and see that the server allows as many (`max_connections`).',
      { code: 'not-enough-connections', cause },
    );
    this.needed = needed;
  }
}

/**
 * Two connections share one session of the server: a pooler between them gives a session to each transaction, and locks do not hold there.
 * Connect to the server itself, or let the pooler give a session to each connection (PgBouncer: `pool_mode = session`).
 */
export class SharedSessionError extends EventStoreError {
  static override get typeName(): string {
    return 'SharedSessionError';
  }

  constructor() {
    super(
      'A pooler shares the sessions of the server between connections, so nobody can hold the right to write. `connect` must lead to the ' +
        'server itself, or to a pooler whose mode is `session`.',
      { code: 'shared-session', isRetryable: false },
    );
  }
}

/** A message is larger than the inbox takes. It was not put in. */
export class MessageTooLargeError extends PalimpsestError {
  static override get typeName(): string {
    return 'MessageTooLargeError';
  }

  readonly conversationId: string;
  /** The size of the content as JSON in UTF-8. Unit: bytes. */
  readonly bytes: number;
  /** The limit of the inbox. Unit: bytes. */
  readonly maxBytes: number;

  constructor(options: { readonly conversationId: string; readonly bytes: number; readonly maxBytes: number }) {
    const { conversationId, bytes, maxBytes } = options;
    super(
      'message-too-large',
      `A message to '${conversationId}' has ${bytes} bytes; the inbox takes ${maxBytes}. Put large content into a file, and name it.`,
    );
    this.conversationId = conversationId;
    this.bytes = bytes;
    this.maxBytes = maxBytes;
  }
}
