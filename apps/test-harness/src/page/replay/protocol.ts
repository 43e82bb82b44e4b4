import type { SkippedFile } from '../../import/index.js';
import type { ReplayedSession, SessionPrices } from '../../replay/replayed-session.js';
import type { PricedSizes } from '../../replay/replay-text.js';
import type { SessionTimeline } from '../../replay/timeline.js';

/** A text that a person gave: a file, or what was pasted. The browser reads it when the thread asks for it. */
export interface SourceFile {
  /** Its own in the page. */
  readonly id: number;
  readonly name: string;
  readonly blob: Blob;
}

/** A session that was found in a file, without its events. */
export interface FoundSession {
  /** Its position in the file. */
  readonly index: number;
  readonly name: string;
  readonly format: string;
  readonly modelCalls: number;
  /** The time of its last event. Unit: milliseconds since 1970. Absent if the log has no times. */
  readonly at?: number | undefined;
  /** The recorded model calls by model. */
  readonly models: ReadonlyMap<string, number>;
}

/** A policy by its name, or `priced` with sizes of its own. */
export type PolicyChoice = string | PricedSizes;

/** What the page asks of the thread: one request at a time. */
export type Request =
  | { readonly type: 'list'; readonly files: readonly SourceFile[] }
  | {
      readonly type: 'replay';
      readonly file: SourceFile;
      readonly index: number;
      /** @defaultValue none, and those that a report compares */
      readonly policies?: readonly PolicyChoice[];
      readonly priced: SessionPrices;
      readonly withTimeline: boolean;
    };

/** What the thread answers. `done` or `failed` is the last answer to a request. */
export type Reply =
  | {
      readonly type: 'listed';
      /** The id of the file. */
      readonly file: number;
      readonly sessions: readonly FoundSession[];
      readonly skipped: readonly Pick<SkippedFile, 'file' | 'reason'>[];
    }
  | { readonly type: 'policy'; readonly name: string }
  | { readonly type: 'replayed'; readonly replayed: ReplayedSession; readonly timeline?: SessionTimeline | undefined }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly message: string };
