import type { ImportNote } from '../import/index.js';
import type { SessionMeasures, SessionReplay } from './task.js';

/** One session and what each condenser made of it. */
export interface ReplayedSession extends SessionMeasures {
  readonly name: string;
  readonly file: string;
  readonly format: string;
  readonly events: number;
  readonly notes: readonly ImportNote[];
  /** How often the recording agent compacted its history: the calls after that saw less than the log holds. */
  readonly recordedCompactions: number;
  readonly replays: readonly SessionReplay[];
}

/** One replay with its session, and that of doing nothing. */
export interface Pair {
  readonly session: ReplayedSession;
  readonly replay: SessionReplay;
  readonly none: SessionReplay;
}
