import type { Event } from '@palimpsest/events';
import { summariserFor } from './models.js';
import { policyFrom } from './policy.js';
import { sessionReplayer } from './session-replayer.js';
import type { SessionReplayer } from './session-replayer.js';
import { storedResults } from './task.js';
import type { SessionReplay, SessionResults, SessionTask } from './task.js';

/** Runs a task. Each result is stored as soon as it is there, so that nothing is computed twice. */
export async function runTask(task: SessionTask): Promise<SessionResults> {
  const { events, policies, withTimeline } = task;
  const { summariser, ...settings } = task.settings;
  const stored = storedResults(task);
  let wasStored = true;
  let replayer: SessionReplayer | undefined;
  const replayerOfEvents = (): SessionReplayer => {
    wasStored = false;
    const options = { ...settings, summariser: summariserFor(summariser), withTimeline };
    return (replayer ??= sessionReplayer(JSON.parse(events) as readonly Event[], options));
  };
  let measures = await stored.read('measures');
  if (measures === undefined) await stored.write('measures', (measures = replayerOfEvents().measures()));
  const replays: SessionReplay[] = [];
  for (const [index, { name, source }] of policies.entries()) {
    let replay = withTimeline ? undefined : await stored.read(index);
    if (replay === undefined) {
      replay = await replayerOfEvents().replay(policyFrom(name, source));
      await stored.write(index, replay);
    }
    replays.push({ ...replay, condenser: name });
  }
  return { measures, replays, wasStored, ...(withTimeline && { timeline: JSON.stringify(replayer?.timeline()) }) };
}
