import { HarnessError } from '../harness-error.js';

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

/** Makes the error for a file of no known format. */
export function unknownLogFormat(options: {
  readonly file: string;
  readonly reason: string;
  readonly knownFormats: readonly string[];
  readonly cause?: unknown;
}): HarnessError {
  const { file, reason, knownFormats } = options;
  const message = `'${file}' is not a session log that can be read: ${reason}. Known formats: ${knownFormats.join(', ')}.`;
  return new HarnessError('unknown-log-format', message, options);
}
