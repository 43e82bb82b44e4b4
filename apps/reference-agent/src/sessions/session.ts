import type { FileEventStore } from '@palimpsest/events/file';

/** The place of one session: a folder with its log, whole outputs, and the files before the agent changed them. */
export interface Session {
  /** Also the id of the conversation. */
  readonly id: string;
  /** All of it. Absolute. */
  readonly folder: string;
  /** Whole texts of long outputs. */
  readonly outputs: string;
  /** The edit history. */
  readonly files: string;
  /** Holds the log, as `<id>.jsonl`. */
  readonly store: FileEventStore;
}
