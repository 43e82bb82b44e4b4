import type { Event } from '@palimpsest/events';
import type { NoteTaker } from './note-taker.js';

/** One JSON value of a log and the line on which it stands. */
export interface LogRecord {
  readonly value: unknown;
  /** The first line is 1. */
  readonly line: number;
  /** The line begins with a space. JSON ignores that, and Palimpsest's own log says with it that its append goes on. */
  readonly continues: boolean;
}

/** The beginning of a log, by which its format is recognised. */
export interface LogSample {
  /** The first values of a log with one value per line; for a document, the document. */
  readonly head: readonly unknown[];
  /** The whole log when it is one JSON document; otherwise `undefined`. */
  readonly document: unknown;
}

/** An opened log. */
export interface LogSource extends LogSample {
  /** The file, for people. */
  readonly file: string;
  /** The name for the first session of the file. */
  readonly name: string;
  readonly notes: NoteTaker;
  /**
   * Every value of the log with its line, read anew and in blocks; a document gives itself. What is not JSON is noted and
   * left out, or with `strict` is an error unless it is a torn last line.
   *
   * @throws {@link LogReadError}
   */
  records(options?: { readonly strict?: boolean }): AsyncIterable<LogRecord>;
}

/** A session as a format reads it; its notes stand in the source's note taker when it is handed out. */
export interface ImportedSession {
  readonly name: string;
  readonly events: readonly Event[];
}

/** Reads one kind of log. */
export interface LogFormat {
  /** Kebab-case; stands in the report. */
  readonly name: string;
  /** True when the beginning of the log is of this format. Decides by content, never by a file name. */
  recognise(sample: LogSample): boolean;
  /** The sessions of the log. @throws {@link LogReadError} */
  read(source: LogSource): AsyncIterable<ImportedSession>;
}
