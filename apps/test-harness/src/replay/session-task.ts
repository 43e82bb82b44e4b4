import type { Prices } from '../measure/money.js';
import type { PolicySource } from './policy.js';
import type { SessionReplay } from './replay-session.js';
import type { SessionMeasures } from './session-replayer.js';

/** What all sessions of a replay share, as data. */
export interface TaskSettings {
  readonly prices: readonly Prices[];
  readonly contextWindow?: number | undefined;
  /** A model as `provider/name`. @defaultValue the stand-in */
  readonly summariser?: string | undefined;
}

/** A policy as data. */
export interface TaskPolicy {
  readonly name: string;
  readonly source: PolicySource;
  /** Of all that its results depend on. @defaultValue none: its results are not stored */
  readonly digest?: string | undefined;
}

/** One session to replay, as data that can be sent to another thread. */
export interface SessionTask {
  /** The events of the session. JSON. */
  readonly events: string;
  readonly settings: TaskSettings;
  readonly policies: readonly TaskPolicy[];
  /** Where results are stored, and the digest of the code that makes them. @defaultValue nowhere */
  readonly store?: { readonly folder: string; readonly code: string } | undefined;
}

/** What became of a {@link SessionTask}. */
export interface SessionResults {
  readonly measures: SessionMeasures;
  /** In the order of the policies. */
  readonly replays: readonly SessionReplay[];
  readonly wasStored: boolean;
}
