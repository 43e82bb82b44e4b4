import { PalimpsestError } from '@palimpsest/events';

/** A file matches no known log format. Names the file, the reason and the known formats. */
export class UnknownLogFormatError extends PalimpsestError {
  static override get typeName(): string {
    return 'UnknownLogFormatError';
  }

  readonly file: string;
  readonly reason: string;
  readonly knownFormats: readonly string[];

  constructor(options: {
    readonly file: string;
    readonly reason: string;
    readonly knownFormats: readonly string[];
    readonly cause?: unknown;
  }) {
    super(
      'unknown-log-format',
      `'${options.file}' is not a session log that can be read: ${options.reason}. ` +
        `Known formats: ${options.knownFormats.join(', ')}.`,
      { cause: options.cause },
    );
    this.file = options.file;
    this.reason = options.reason;
    this.knownFormats = options.knownFormats;
  }
}

/** A log or its path cannot be read. Names the file and, if known, the line. */
export class LogReadError extends PalimpsestError {
  static override get typeName(): string {
    return 'LogReadError';
  }

  readonly file: string;
  /** The first line is 1. */
  readonly line: number | undefined;

  constructor(options: {
    readonly file: string;
    readonly line?: number | undefined;
    readonly reason: string;
    readonly cause?: unknown;
  }) {
    const where = options.line === undefined ? options.file : `${options.file}:${options.line}`;
    super('log-read', `Cannot read '${where}': ${options.reason}`, { cause: options.cause });
    this.file = options.file;
    this.line = options.line;
  }
}
