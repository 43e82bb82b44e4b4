import type { Event } from '@palimpsest/events';
import type { Prices } from '../measure/money.js';
import { policyFrom } from './policy-source.js';
import type { PolicySource } from './policy.js';
import type { SessionReplay } from './replay-session.js';
import { resultStore } from './result-store.js';
import { sessionReplayer } from './session-replayer.js';
import type { SessionMeasures } from './session-replayer.js';
import { keysOf } from './stored-results.js';
import { summariserFor } from './summariser.js';

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

/** Replays one session through its policies. Each result is stored as soon as it is there, so that nothing is computed twice. */
export async function runTask(task: SessionTask): Promise<SessionResults> {
  const { events, settings, policies, store } = task;
  const results = store === undefined ? undefined : resultStore(store.folder);
  const keys = keysOf(task);
  let wasStored = true;
  let replayer: ReturnType<typeof sessionReplayer> | undefined;
  const replayerOfEvents = () =>
    (replayer ??= sessionReplayer(JSON.parse(events) as readonly Event[], {
      ...settings,
      summariser: summariserFor(settings.summariser),
    }));
  const found = async <Result>(key: string | undefined, compute: () => Result | Promise<Result>): Promise<Result> => {
    const stored = key === undefined ? undefined : await results?.read(key);
    if (stored !== undefined) return stored as Result;
    wasStored = false;
    const result = await compute();
    if (key !== undefined) await results?.write(key, result);
    return result;
  };

  const measures = await found(keys.measures, () => replayerOfEvents().measures());
  const replays: SessionReplay[] = [];
  for (const [index, { name, source }] of policies.entries()) {
    const replay = await found(keys.policies[index], () => replayerOfEvents().replay(policyFrom(name, source)));
    replays.push({ ...replay, condenser: name });
  }
  return { measures, replays, wasStored };
}
