import { createHash } from 'node:crypto';
import type { SessionReplay } from './replay-session.js';
import { resultStore } from './result-store.js';
import type { SessionMeasures } from './session-replayer.js';
import type { SessionResults, SessionTask } from './session-task.js';

/** The results of a task if all of them are stored, so that no thread needs to start for it. */
export async function storedResults(task: SessionTask): Promise<SessionResults | undefined> {
  if (task.store === undefined) return undefined;
  const results = resultStore(task.store.folder);
  const keys = keysOf(task);
  const measures = await results.read(keys.measures);
  if (measures === undefined) return undefined;
  const replays: SessionReplay[] = [];
  for (const [index, { name }] of task.policies.entries()) {
    const key = keys.policies[index];
    const replay = key === undefined ? undefined : await results.read(key);
    if (replay === undefined) return undefined;
    replays.push({ ...(replay as SessionReplay), condenser: name });
  }
  return { measures: measures as SessionMeasures, replays, wasStored: true };
}

/** The keys under which the results of a task are stored; none for a policy without a digest. */
export function keysOf({ events, settings, policies, store }: SessionTask) {
  const shared = digestOf(JSON.stringify([store?.code, digestOf(events), settings]));
  const keyOf = (what: string): string => digestOf(`${shared} ${what}`);
  return {
    measures: keyOf('measures'),
    policies: policies.map(({ digest }) => (digest === undefined ? undefined : keyOf(digest))),
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
