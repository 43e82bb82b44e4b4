import type { ImportNote, Session } from '../import/index.js';
import type { Prices } from '../measure/money.js';
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
  /** The prices in USD of this session, which are the first row of its bills. @defaultValue none: it has the rows of all sessions */
  readonly priced?: SessionPrices;
  readonly replays: readonly SessionReplay[];
}

/** The prices in USD of one session. */
export interface SessionPrices {
  /** Their name is the model's. */
  readonly prices: Prices;
  /** True if the session's log names no model with known prices. */
  readonly isAssumed: boolean;
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
  priced?: SessionPrices,
): ReplayedSession {
  const compactions = notes.filter(({ kind }) => kind === 'recorded-compaction');
  const recordedCompactions = compactions.reduce((sum, { count }) => sum + count, 0);
  const facts = { name, file, format, notes, events: events.length, recordedCompactions };
  return { ...facts, ...measures, ...(priced && { priced }), replays };
}
