import type { Event, PalimpsestError } from '@palimpsest/events';

/**
 * What an importer may have to say of a log.
 *
 * - `torn-last-line`: the last line ends in the middle; it is left out
 * - `not-json`: a line, or a part of one, is not JSON; it is left out
 * - `several-objects-on-a-line`: they are read as if each had a line of its own
 * - `skipped-line`: a known kind of line that no model reads
 * - `unknown-line-type`: left out, because this version does not know it
 * - `unsupported-content`: something that has no neutral form; kept in a `recorded/unread` event, but for tools that only the provider runs
 * - `call-without-result`, `result-without-call`, `duplicate-result`, `duplicate-call-id`: kept as logged
 * - `duplicate-event-id`: said in the message what became of the second one
 * - `recorded-compaction`: the recording agent compacted here; nothing is forgotten
 * - `sidechain`: another conversation in the same log; a session of its own
 * - `branch`: the log was rewound here; both branches are read, in the order of the file
 * - `normalised`: the id of a reply that another reply has, replaced
 * - `arguments-not-json`: a call's arguments do not parse; kept
 * - `empty-response`: the model was called and nothing came back
 * - `reasoning`: reasoning that was merged or left out
 * - `invalid-event`: could not be turned into an event; left out
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

/** One remark on a log, or several equal ones counted together. */
export interface ImportNote {
  readonly file: string;
  /** Where it was first seen; the first line is 1. Absent in logs that are one JSON document. */
  readonly line?: number;
  readonly kind: NoteKind;
  readonly message: string;
  /** How often. */
  readonly count: number;
}

/** One recorded conversation, as Palimpsest events in the order of the log. */
export interface Session {
  /** Names the session within what was read: the file below the given path, and which of its sessions. */
  readonly name: string;
  readonly file: string;
  /** The name of the log format, such as `'claude-code-jsonl'`. */
  readonly format: string;
  /** Deterministic: the same file gives the same events, with the same ids and timestamps. */
  readonly events: readonly Event[];
  readonly notes: readonly ImportNote[];
}

/** A file that gave no session, and why. */
export interface SkippedFile {
  readonly file: string;
  readonly reason: string;
  readonly error?: PalimpsestError;
  readonly notes: readonly ImportNote[];
}
