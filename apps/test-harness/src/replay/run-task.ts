import type { Event } from '@palimpsest/events';
import { policyFrom } from './policy-source.js';
import type { SessionReplay } from './replay-session.js';
import { resultStore } from './result-store.js';
import { sessionReplayer } from './session-replayer.js';
import type { SessionResults, SessionTask } from './session-task.js';
import { keysOf } from './stored-results.js';
import { summariserFor } from './summariser.js';

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
