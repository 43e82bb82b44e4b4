import type { ImportNote, Session } from '../import/index.js';
import type { SessionMeasures, SessionReplay, SessionResults } from './task.js';

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

/** Returns a session with the results of its replays. */
export function replayedSession(
  { name, file, format, notes, events }: Session,
  { measures, replays }: Pick<SessionResults, 'measures' | 'replays'>,
): ReplayedSession {
  const compactions = notes.filter(({ kind }) => kind === 'recorded-compaction');
  const recordedCompactions = compactions.reduce((sum, { count }) => sum + count, 0);
  return { name, file, format, notes, events: events.length, recordedCompactions, ...measures, replays };
}
