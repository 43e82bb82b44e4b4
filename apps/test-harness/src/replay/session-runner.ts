import type { Event } from '@palimpsest/events';
import type { Session } from '../import/index.js';
import { codeDigest } from './code-digest.js';
import { OutOfMemoryError } from './out-of-memory-error.js';
import { policyDigest } from './policy-digest.js';
import type { Policy } from './policy.js';
import type { ReplayedSession } from './replay-report.js';
import type { SessionReplayer } from './session-replayer.js';
import type { TaskPolicy, TaskSettings } from './session-task.js';
import { storedResults } from './stored-results.js';

/** Options of {@link sessionRunner}. */
export interface SessionRunnerOptions {
  readonly policies: readonly Policy[];
  readonly settings: TaskSettings;
  /** 0: this thread. */
  readonly workers: number;
  /** @defaultValue none: nothing is stored */
  readonly cacheFolder?: string | undefined;
}

/** How a session was replayed. */
export interface SessionProgress {
  /** The size of its events as JSON. Unit: characters. */
  readonly size: number;
  /** Every result was found in the cache. */
  readonly wasStored: boolean;
}

/** Replays sessions, in this thread or in others. */
export interface SessionRunner {
  replay(session: Session): Promise<{ readonly replayed: ReplayedSession; readonly progress: SessionProgress }>;
  /** Ends the threads, also those at work. */
  close(): Promise<void>;
}

/** A {@link SessionRunner}. Policies without a source run in this thread, and their results are not stored. */
export async function sessionRunner(options: SessionRunnerOptions): Promise<SessionRunner> {
  const { policies, settings, workers, cacheFolder } = options;
  const store = cacheFolder === undefined ? undefined : { folder: cacheFolder, code: await codeDigest() };
  const described: TaskPolicy[] = [];
  for (const { name, source } of policies) {
    if (source !== undefined) described.push({ name, source, digest: store && (await policyDigest(source)) });
  }
  const foreign = policies.filter(({ source }) => source === undefined);
  // What makes threads is loaded only if there are some, and what replays only where it runs: that takes long.
  const threads = workers === 0 ? undefined : (await import('./worker-pool.js')).workerPool(workers);
  const run = threads?.run ?? (await import('./run-task.js')).runTask;
  const here = foreign.length > 0 ? await replayerOfThisThread(settings) : undefined;

  return {
    close: async () => threads?.close(),
    replay: async (session) => {
      const events = JSON.stringify(session.events);
      const task = { events, settings, policies: described, store };
      const { measures, replays, wasStored } =
        (await storedResults(task)) ?? (await run(task).catch((error: unknown) => failure(session.file, error)));
      const made = new Map(replays.map((replay) => [replay.condenser, replay]));
      const replayer = here?.(session.events);
      if (replayer !== undefined) {
        for (const policy of foreign) made.set(policy.name, await replayer.replay(policy));
      }
      const { name, file, format, notes } = session;
      const compactions = notes.filter(({ kind }) => kind === 'recorded-compaction');
      const replayed: ReplayedSession = {
        name,
        file,
        format,
        notes,
        events: session.events.length,
        recordedCompactions: compactions.reduce((sum, { count }) => sum + count, 0),
        ...measures,
        replays: policies.flatMap((policy) => made.get(policy.name) ?? []),
      };
      return { replayed, progress: { size: events.length, wasStored: wasStored && foreign.length === 0 } };
    },
  };
}

async function replayerOfThisThread(settings: TaskSettings): Promise<(events: readonly Event[]) => SessionReplayer> {
  const { sessionReplayer } = await import('./session-replayer.js');
  const { summariserFor } = await import('./summariser.js');
  return (events) => sessionReplayer(events, { ...settings, summariser: summariserFor(settings.summariser) });
}

/** @throws {@link OutOfMemoryError} for the end of a thread without memory, and every other error as it is */
function failure(file: string, error: unknown): never {
  const { code } = error as { readonly code?: unknown };
  throw code === 'ERR_WORKER_OUT_OF_MEMORY' ? new OutOfMemoryError(file, error) : error;
}
