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
 * - `sidechain`: another conversation in the same log; a session of its own
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
