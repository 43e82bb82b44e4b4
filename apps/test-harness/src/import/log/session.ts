import type { Event, PalimpsestError } from '@palimpsest/events';

/**
 * The kinds of remarks that an importer makes on a log.
 *
 * - `torn-last-line`: the last line ends in the middle; it is left out
 * - `not-json`: a line, or a part of one, is not JSON; it is left out
 * - `several-objects-on-a-line`: each object is read as a separate line
 * - `skipped-line`: a known kind of line that no model reads
 * - `unknown-line-type`: left out, because this version does not know it
 * - `unsupported-content`: content without a neutral form; kept in a `recorded/unread` event, except tools that only the
 *   provider runs
 * - `call-without-result`, `result-without-call`, `duplicate-result`, `duplicate-call-id`: kept as logged
 * - `duplicate-event-id`: the message says how the second event was treated
 * - `recorded-compaction`: the recording agent compacted here; nothing is forgotten
 * - `sidechain`: another conversation in the same log; a session of its own, unless the message says that it stays
 * - `copied-history`: the beginning was copied from another session; its calls are not counted
 * - `branch`: the log was rewound here; both branches are read, in the order of the file
 * - `normalised`: the id of a reply was not unique; it is replaced
 * - `arguments-not-json`: the arguments of a call do not parse; they are kept
 * - `empty-response`: the model returned nothing
 * - `reasoning`: reasoning that was merged or left out
 * - `invalid-event`: could not be converted to an event; left out
 */
export type NoteKind =
  | 'torn-last-line'
  | 'not-json'
  | 'several-objects-on-a-line'
  | 'skipped-line'
  | 'unknown-line-type'
  | 'unsupported-content'
  | 'call-without-result'
  | 'result-without-call'
  | 'duplicate-result'
  | 'duplicate-call-id'
  | 'duplicate-event-id'
  | 'recorded-compaction'
  | 'sidechain'
  | 'copied-history'
  | 'branch'
  | 'normalised'
  | 'arguments-not-json'
  | 'empty-response'
  | 'reasoning'
  | 'invalid-event';

/** A remark on a log. Equal remarks are counted together. */
export interface ImportNote {
  readonly file: string;
  /** The line of the first occurrence; the first line is 1. Absent for logs that are one JSON document. */
  readonly line?: number;
  readonly kind: NoteKind;
  readonly message: string;
  /** The number of occurrences. */
  readonly count: number;
}

/** One recorded conversation, as Palimpsest events in the order of the log. */
export interface Session {
  /** The name of the session: the file relative to the given path, and which of its sessions. */
  readonly name: string;
  readonly file: string;
  /** The name of the log format, such as `'claude-code-jsonl'`. */
  readonly format: string;
  /** Deterministic: the same file gives the same events, with the same ids and timestamps. */
  readonly events: readonly Event[];
  readonly notes: readonly ImportNote[];
}

/** A file without a session, with the reason. */
export interface SkippedFile {
  readonly file: string;
  readonly reason: string;
  readonly error?: PalimpsestError;
  readonly notes: readonly ImportNote[];
}

/** The maximum of different messages per kind. Further ones are only counted, so a broken log cannot fill the memory. */
const maximumMessagesPerKind = 100;

/** Collects the remarks on one file. Equal remarks are counted together, with the line of the first one. */
export class NoteTaker {
  readonly #file: string;
  readonly #counts = new Map<string, { readonly note: Omit<ImportNote, 'count'>; count: number }>();
  readonly #messagesOfKind = new Map<NoteKind, number>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Notes one occurrence. The message should contain details of one occurrence only if a reader needs them. */
  add(kind: NoteKind, message: string, line?: number): void {
    const key = `${kind} ${message}`;
    const known = this.#counts.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const messages = (this.#messagesOfKind.get(kind) ?? 0) + 1;
    const overflow = `more of the kind '${kind}'`;
    if (messages > maximumMessagesPerKind && message !== overflow) {
      this.add(kind, overflow, line);
      return;
    }
    this.#messagesOfKind.set(kind, messages);
    this.#counts.set(key, { note: { file: this.#file, line, kind, message }, count: 1 });
  }

  /** Notes something of a kind that this version does not know. @param what - such as `lines of type 'x'` */
  unknown(what: string, line?: number): void {
    this.add('unknown-line-type', `${what} are not known and were left out`, line);
  }

  /** The remarks since the last call, in the order of their first occurrence. */
  take(): readonly ImportNote[] {
    const notes = [...this.#counts.values()].map(({ note, count }) => Object.freeze({ ...note, count }));
    this.#counts.clear();
    this.#messagesOfKind.clear();
    return notes;
  }
}

/** A place in a log. Its first event gets the id of the entry; further events get `id#2`, `id#3`. */
export interface Entry {
  /** The id in the log. Without one, an id made from the position (`line-12`). */
  readonly id: string;
  readonly line?: number | undefined;
  /** As logged: ISO 8601 text, or a number of seconds or milliseconds since 1970. Default: the time of the previous event. */
  readonly timestamp?: unknown;
}

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

/** The files around a log, for formats in which a session has several. Paths are relative to the folder of the log and use `/`. */
export interface NeighbouringFiles {
  /** Returns the names of the files in a folder; none if there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /** Resolves to `undefined` if there is no such file. */
  read(file: string): Promise<string | undefined>;
}

/** An opened log. */
export interface LogSource extends LogSample {
  /** The path of the file, for messages. */
  readonly file: string;
  /** The name for the first session of the file. */
  readonly name: string;
  readonly notes: NoteTaker;
  /** @defaultValue none: the log was not read from a folder */
  readonly neighbours?: NeighbouringFiles | undefined;
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
  /** The name for the first session. */
  readonly name: string;
  readonly signal?: AbortSignal;
}

/** A session as a format reads it. When the format yields it, its notes are in the note taker of the source. */
export interface ImportedSession {
  readonly name: string;
  readonly events: readonly Event[];
}

/** A reader of one kind of log. */
export interface LogFormat {
  /** The name in the report, in kebab-case. */
  readonly name: string;
  /** True if the log begins in this format. Looks only at the content, never at the file name. */
  recognise(sample: LogSample): boolean;
  /** The sessions of the log. @throws {@link HarnessError} `log-read` */
  read(source: LogSource): AsyncIterable<ImportedSession>;
}
