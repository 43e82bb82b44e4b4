const brand = Symbol.for('@palimpsest/error');

/**
 * The base of every error that a Palimpsest package throws. Its fields are plain data, so an error can be logged or sent on.
 *
 * `instanceof` fails when two copies of a package are installed. `X.isInstance(error)` does not, because it compares a brand that
 * all copies share, and the names of the error's class and of those that it derives from. A class states its name as
 * `static override get typeName()`, because a bundler may rename the class itself. Without it the class's own name is used.
 */
export class PalimpsestError extends Error {
  /** The name of this class, in every copy and however it is bundled. */
  static get typeName(): string {
    return 'PalimpsestError';
  }

  /** The kind of the error, for programs. Stable across versions. */
  readonly code: string;

  constructor(code: string, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.name = typeNameOf(new.target);
    Object.defineProperty(this, brand, { value: ancestryOf(new.target), enumerable: false });
  }

  /** Returns true for an error of this class or of one derived from it, made by any installed copy of the package. */
  static isInstance<Class extends abstract new (...parameters: never[]) => unknown>(
    this: Class,
    error: unknown,
  ): error is InstanceType<Class> {
    if (typeof error !== 'object' || error === null) return false;
    const ancestry = (error as Record<symbol, unknown>)[brand];
    return Array.isArray(ancestry) && ancestry.includes(typeNameOf(this));
  }
}

function ancestryOf(errorClass: abstract new (...parameters: never[]) => unknown): readonly string[] {
  const names: string[] = [];
  for (let current: unknown = errorClass; typeof current === 'function' && current !== Error;) {
    names.push(typeNameOf(current));
    current = Object.getPrototypeOf(current);
  }
  return names;
}

function typeNameOf(errorClass: { readonly name: string }): string {
  const own = Object.hasOwn(errorClass, 'typeName') ? (errorClass as { typeName?: unknown }).typeName : undefined;
  return typeof own === 'string' ? own : errorClass.name;
}

/** A value is not an event. Names the path of the wrong field, and the event's id and type if they can be read. */
export class InvalidEventError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidEventError';
  }

  /** The path of the wrong field, as keys from the outside in. Empty when the value itself is wrong. */
  readonly path: readonly (string | number)[];
  readonly eventId: string | undefined;
  readonly eventType: string | undefined;

  constructor(options: {
    readonly reason: string;
    readonly path: readonly (string | number)[];
    readonly eventId?: string | undefined;
    readonly eventType?: string | undefined;
    readonly cause?: unknown;
  }) {
    const where = options.path.length === 0 ? 'the value' : `'${options.path.join('.')}'`;
    const which = [
      options.eventType === undefined ? undefined : `type '${options.eventType}'`,
      options.eventId === undefined ? undefined : `id '${options.eventId}'`,
    ].filter((part) => part !== undefined);
    const event = which.length === 0 ? 'Not an event' : `Not a valid event (${which.join(', ')})`;
    super('invalid-event', `${event}: ${where}: ${options.reason}`, { cause: options.cause });
    this.path = options.path;
    this.eventId = options.eventId;
    this.eventType = options.eventType;
  }
}

/** An event with this id is already in the log. Nothing was appended. */
export class DuplicateEventError extends PalimpsestError {
  static override get typeName(): string {
    return 'DuplicateEventError';
  }

  readonly eventId: string;

  constructor(eventId: string) {
    super(
      'duplicate-event',
      `An event with id '${eventId}' is already in the log. Nothing was appended; give each event an id of its own.`,
    );
    this.eventId = eventId;
  }
}

/** Another writer appended first: the store is not at the version that the writer expected. Nothing was appended. */
export class ConcurrencyError extends PalimpsestError {
  static override get typeName(): string {
    return 'ConcurrencyError';
  }

  readonly conversationId: string;
  /** Unit: events. Undefined when the writer could not learn it. */
  readonly actualVersion: number | undefined;
  /** Unit: events. */
  readonly expectedVersion: number | undefined;

  constructor(options: {
    readonly conversationId: string;
    readonly expectedVersion?: number | undefined;
    readonly actualVersion?: number | undefined;
    readonly reason?: string;
    readonly cause?: unknown;
  }) {
    const reason =
      options.reason ?? `it holds ${options.actualVersion} events, and the writer expected ${options.expectedVersion}`;
    super(
      'concurrency',
      `Another writer changed the conversation '${options.conversationId}': ${reason}. ` +
        'Nothing was appended; read the conversation again and retry.',
      { cause: options.cause },
    );
    this.conversationId = options.conversationId;
    this.expectedVersion = options.expectedVersion;
    this.actualVersion = options.actualVersion;
  }
}

/**
 * Another writer has the conversation open for writing. Nothing was appended. The conversation can be read, followed and
 * forked meanwhile.
 */
export class ConversationBusyError extends PalimpsestError {
  static override get typeName(): string {
    return 'ConversationBusyError';
  }

  readonly conversationId: string;
  /** A description of the other writer, for people. */
  readonly holder: string;

  constructor(options: { readonly conversationId: string; readonly holder?: string; readonly cause?: unknown }) {
    const { conversationId, holder = 'another writer', cause } = options;
    super(
      'conversation-busy',
      `Conversation '${conversationId}' is busy: ${holder} has it open for writing. Nothing was appended; ` +
        'read, follow or fork it meanwhile, and try again when that writer is done.',
      { cause },
    );
    this.conversationId = conversationId;
    this.holder = holder;
  }
}

/**
 * Another writer has taken over the conversation, because this one showed no sign of life. The last append of this writer is
 * not acknowledged: the log contains all of its events or none. Open the conversation again to see which.
 */
export class WriterOustedError extends PalimpsestError {
  static override get typeName(): string {
    return 'WriterOustedError';
  }

  readonly conversationId: string;

  constructor(conversationId: string) {
    super(
      'writer-ousted',
      `Another writer has taken over the conversation '${conversationId}'. The append is not acknowledged; ` +
        'open the conversation again and read what it holds before you append.',
    );
    this.conversationId = conversationId;
  }
}

/** An event store could not read or write. Names the file and line where there is one; the original error is `cause`. */
export class EventStoreError extends PalimpsestError {
  static override get typeName(): string {
    return 'EventStoreError';
  }

  readonly file: string | undefined;
  /** The first line is 1. */
  readonly line: number | undefined;
  /** False if a further try finds the same: what is stored cannot be read. */
  readonly isRetryable: boolean;

  /** @param options - `isRetryable`: default true; `code`: that of a class which derives from this one */
  constructor(
    message: string,
    options?: {
      readonly file?: string | undefined;
      readonly line?: number | undefined;
      readonly isRetryable?: boolean;
      readonly code?: string;
      readonly cause?: unknown;
    },
  ) {
    super(options?.code ?? 'event-store', message, { cause: options?.cause });
    this.file = options?.file;
    this.line = options?.line;
    this.isRetryable = options?.isRetryable ?? true;
  }
}

/** A log is larger than its store reads. No further try changes that. */
export class LogTooLargeError extends EventStoreError {
  static override get typeName(): string {
    return 'LogTooLargeError';
  }

  readonly conversationId: string;
  /** The limit of the store. Unit: bytes. */
  readonly maxBytes: number;

  constructor(options: { readonly conversationId: string; readonly maxBytes: number }) {
    const { conversationId, maxBytes } = options;
    super(
      `The log of '${conversationId}' has more than ${maxBytes} bytes, which is the limit of its store. ` +
        'Raise the limit to read it, or continue in a fork of its beginning.',
      { code: 'log-too-large', isRetryable: false },
    );
    this.conversationId = conversationId;
    this.maxBytes = maxBytes;
  }
}

/** A conversation id that cannot be used as one: empty, longer than 512 characters, or not a string. */
export class InvalidConversationIdError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidConversationIdError';
  }

  constructor(reason: string) {
    super('invalid-conversation-id', `Not a conversation id: ${reason}.`);
  }
}
