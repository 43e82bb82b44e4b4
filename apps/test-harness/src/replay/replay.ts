import { availableParallelism } from 'node:os';
import { readSessions } from '../import/index.js';
import type { Session, SkippedFile } from '../import/index.js';
import { priceRows } from '../measure/money.js';
import type { Prices } from '../measure/money.js';
import { inOrder } from './in-order.js';
import type { Policy } from './policy.js';
import type { ReplayedSession } from './replay-report.js';
import { sessionRunner } from './session-runner.js';
import type { SessionProgress } from './session-runner.js';

/** Options of {@link replayPaths} and {@link replaySessions}. */
export interface ReplayOptions {
  /** In the order of the table; savings are relative to the first. */
  readonly policies: readonly Policy[];
  /** @defaultValue {@link priceRows} */
  readonly prices?: readonly Prices[];
  /** The window that condensers are told of. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number;
  /** The model that condensers ask, as `provider/name`; its key is read from the environment. @defaultValue a stand-in */
  readonly summariser?: string;
  /** How many threads replay. 0: this one. @defaultValue 0 */
  readonly workers?: number;
  /** Where results are stored and found again. @defaultValue none: everything is computed */
  readonly cacheFolder?: string;
  /** Ends the replay early: what is done is returned, what is begun is given up. */
  readonly signal?: AbortSignal;
  /** Called when a session has been replayed; sessions end in any order. */
  readonly onSession?: (session: ReplayedSession, progress: SessionProgress) => void;
  /** Called before a file is read. */
  readonly onFile?: (file: string) => void;
}

/** The replayed sessions, in the order in which they were read. Can be iterated once. */
export interface ReplayRun extends AsyncIterable<ReplayedSession> {
  /** The files without a session, with the reason. Complete after the iteration. */
  readonly skipped: readonly SkippedFile[];
}

/**
 * Replays every session of files and folders through every policy. At most as many sessions as threads are in memory, and two more.
 *
 * @throws {@link UnknownLogFormatError} when a path is a file of no known format.
 * @throws {@link LogReadError} when a path cannot be read.
 */
export function replayPaths(paths: readonly string[], options: ReplayOptions): ReplayRun {
  const skipped: SkippedFile[] = [];
  async function* sessions(): AsyncGenerator<Session> {
    for (const path of paths) {
      const reader = readSessions(path, { onFile: ({ file }) => options.onFile?.(file), signal: options.signal });
      yield* reader;
      skipped.push(...reader.skipped);
    }
  }
  return { skipped, [Symbol.asyncIterator]: () => replaySessions(sessions(), options) };
}

/** Replays sessions through every policy; yields them in their order. */
export async function* replaySessions(
  sessions: AsyncIterable<Session>,
  options: ReplayOptions,
): AsyncGenerator<ReplayedSession> {
  const {
    policies,
    prices = priceRows,
    contextWindow,
    summariser,
    workers = 0,
    cacheFolder,
    signal,
    onSession,
  } = options;
  const settings = { prices, contextWindow, summariser };
  const run = await sessionRunner({ policies, settings, workers, cacheFolder });
  try {
    const replay = async (session: Session): Promise<ReplayedSession> => {
      const { replayed, progress } = await run.replay(session);
      onSession?.(replayed, progress);
      return replayed;
    };
    yield* inOrder(sessions, replay, { atOnce: Math.max(1, workers), signal });
  } finally {
    await run.close();
  }
}

/** As many threads as this machine runs at the same time. */
export function defaultWorkers(): number {
  return availableParallelism();
}
