import { PalimpsestError } from '@palimpsest/events';

/** The kind of an error, for programs. */
export type HarnessErrorCode =
  /** A package cannot be tested: it is not there, has no condenser, or its options are wrong. */
  | 'conform'
  /** The session or the model call that is to be inspected is not there. */
  | 'inspect'
  /** The model for summaries cannot be called. */
  | 'invalid-summariser'
  /** A log or its path cannot be read. */
  | 'log-read'
  /** A live run cannot go on: a task, an arm or the agent's command is wrong, or a check has failed. */
  | 'live'
  /** A session, or a condenser at work on it, needs more memory than a thread has. */
  | 'out-of-memory'
  | 'page-not-written'
  /** The figures alone make a page that is larger than a report may be. */
  | 'page-too-large'
  /** Results of live runs cannot be read, or do not fit together. */
  | 'results'
  /** A scenario file cannot be read, is not YAML, or is no scenario. The message has a line for each problem. */
  | 'scenario'
  /** A file matches no known log format. */
  | 'unknown-log-format'
  /** No prices are known for a model. */
  | 'unknown-model';

/** An error that the user of the harness can do something about. */
export class HarnessError extends PalimpsestError {
  static override get typeName(): string {
    return 'HarnessError';
  }

  declare readonly code: HarnessErrorCode;
  /** The file that it is about. */
  readonly file: string | undefined;
  /** The line of that file. The first is 1. */
  readonly line: number | undefined;
  /** What is wrong with the file, without its name. */
  readonly reason: string | undefined;

  constructor(
    code: HarnessErrorCode,
    message: string,
    details: {
      readonly file?: string;
      readonly line?: number | undefined;
      readonly reason?: string;
      readonly cause?: unknown;
    } = {},
  ) {
    super(code, message, { cause: details.cause });
    this.file = details.file;
    this.line = details.line;
    this.reason = details.reason;
  }
}

/** Returns the message of an exception. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Makes the error for a log that cannot be read, or for a path that leads to none. */
export function logReadError(options: {
  readonly file: string;
  /** The first line is 1. */
  readonly line?: number | undefined;
  readonly reason: string;
  readonly cause?: unknown;
}): HarnessError {
  const { file, line, reason } = options;
  const where = line === undefined ? file : `${file}:${line}`;
  return new HarnessError('log-read', `Cannot read '${where}': ${reason}`, options);
}
