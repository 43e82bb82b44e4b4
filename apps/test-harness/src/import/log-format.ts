import type { Event } from '@palimpsest/events';
import type { NoteTaker } from './note-taker.js';

/** One JSON value of a log and the line on which it stands. */
export interface LogRecord {
  readonly value: unknown;
  /** The first line is 1. */
  readonly line: number;
  /** True if the line begins with a space. JSON ignores it; in Palimpsest's own log it means that the append continues. */
  readonly continues: boolean;
}

/** The beginning of a log. A format recognises a log by it. */
export interface LogSample {
  /** The first values of a log with one value per line; for a document, the document. */
  readonly head: readonly unknown[];
  /** The whole log when it is one JSON document; otherwise `undefined`. */
  readonly document: unknown;
}

/** An opened log. */
export interface LogSource extends LogSample {
  /** The path of the file, for messages. */
  readonly file: string;
  /** The name for the first session of the file. */
  readonly name: string;
  readonly notes: NoteTaker;
  /**
   * Every value of the log with its line. Each call reads the file again, in blocks. A document is one value. Text that is not
   * JSON is noted and left out. With `strict` it is an error, except in a torn last line.
   *
   * @throws {@link HarnessError} `log-read`
   */
  records(options?: { readonly strict?: boolean }): AsyncIterable<LogRecord>;
}

/** Options of the function that opens a log. */
export interface OpenLogOptions {
  /** The name for the first session. @defaultValue the path of the file */
  readonly name?: string;
  /** Names for the error message. */
  readonly knownFormats: readonly string[];
  readonly signal?: AbortSignal;
}

/** A session as a format reads it. When the format yields it, its notes are in the note taker of the source. */
export interface ImportedSession {
  readonly name: string;
  readonly events: readonly Event[];
}

/** Reads one kind of log. */
export interface LogFormat {
  /** The name in the report, in kebab-case. */
  readonly name: string;
  /** True if the log begins in this format. Looks only at the content, never at the file name. */
  recognise(sample: LogSample): boolean;
  /** The sessions of the log. @throws {@link HarnessError} `log-read` */
  read(source: LogSource): AsyncIterable<ImportedSession>;
}
