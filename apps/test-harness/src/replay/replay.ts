import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { pMapIterable, pMapSkip } from 'p-map';
import { HarnessError } from '../harness-error.js';
import { readSessions } from '../import/index.js';
import type { Session, SkippedFile } from '../import/index.js';
import { priceRows } from '../measure/money.js';
import type { Prices } from '../measure/money.js';
import { codeDigest } from './digests.js';
import type { NamedSource } from './named-policy.js';
import { policyDigest } from './policy.js';
import { replayedSession } from './replayed-session.js';
import type { ReplayedSession, SessionPrices } from './replayed-session.js';
import { runnerOf } from './runner.js';
import { resultsIfStored } from './task.js';
import type { SessionResults, SessionTask, TaskPolicy } from './task.js';

/** Options of {@link replayPaths} and {@link replaySessions}. */
export interface ReplayOptions {
  /** In the order of the table; savings are relative to the first. */
  readonly policies: readonly NamedSource[];
  /** @defaultValue {@link priceRows} */
  readonly prices?: readonly Prices[];
  /** Returns the prices in USD of a session, whose row stands before the others. @defaultValue none */
  readonly pricesOf?: (session: Session) => SessionPrices;
  /** The window that condensers are told of. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number | undefined;
  /** The model that condensers call, as `provider/name`; its key is read from the environment. @defaultValue a stand-in */
  readonly summariser?: string | undefined;
  /** True if all is measured: further looks, and the loop by every model of need. @defaultValue false */
  readonly all?: boolean;
  /** The number of threads that replay. 0: this one. @defaultValue 0 */
  readonly workers?: number;
  /** The place where results are stored and found again. @defaultValue none: everything is computed */
  readonly cacheFolder?: string | undefined;
  /** Ends the replay early: what is done is returned, what is begun is given up. */
  readonly signal?: AbortSignal;
  /** Called when a session has been replayed; sessions end in any order. */
  readonly onSession?: (session: ReplayedSession, progress: SessionProgress) => void;
  /** Called before a file is read. */
  readonly onFile?: (file: string) => void;
  /**
   * Called with each session when it has been replayed, and with its position. `timeline` resolves to the session call by call, as
   * JSON. It is a by-product of the replay; a session whose results were stored is replayed for it. @defaultValue no timelines
   */
  readonly onTimeline?: (session: ReplayedSession, index: number, timeline: () => Promise<string>) => Promise<void>;
}

/** The replayed sessions, in the order in which they were read. Can be iterated once. */
export interface ReplayRun extends AsyncIterable<ReplayedSession> {
  /** The files without a session, with the reason. Complete after the iteration. */
  readonly skipped: readonly SkippedFile[];
}

/** The way in which a session was replayed. */
export interface SessionProgress {
  /** The size of its events as JSON. Unit: characters. */
  readonly size: number;
  /** Every result was found in the cache. */
  readonly wasStored: boolean;
}

/** Returns as many threads as this machine runs at the same time. */
export function defaultWorkers(): number {
  return availableParallelism();
}

/** Returns the default folder of stored results: below the user's folder for caches. */
export function defaultCacheFolder(): string {
  return join(envPaths('palimpsest-harness', { suffix: '' }).cache, 'replay');
}

/**
 * Replays every session of files and folders through every policy. At most twice as many sessions as threads are in memory.
 *
 * @throws {@link HarnessError} `unknown-log-format` when a path is a file of no known format.
 * @throws {@link HarnessError} `log-read` when a path cannot be read.
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
    prices = priceRows,
    pricesOf,
    contextWindow,
    summariser,
    all = false,
    workers = 0,
    cacheFolder,
    signal,
    onTimeline,
  } = options;
  const store = cacheFolder === undefined ? undefined : { folder: cacheFolder, code: await codeDigest() };
  const policies: TaskPolicy[] = [];
  for (const { name, source } of options.policies)
    policies.push({ name, source, digest: store && (await policyDigest(source)) });
  const shared = {
    policies,
    store,
    withTimeline: onTimeline !== undefined,
  };
  const { run, close } = await runnerOf<SessionTask, SessionResults>(
    workers,
    'runTask',
    async () => (await import('./run-task.js')).runTask,
  );
  const replay = async (session: Session, index: number) => {
    const events = JSON.stringify(session.events);
    const priced = pricesOf?.(session);
    const rows = priced === undefined ? prices : [priced.prices, ...prices];
    const task = { ...shared, settings: { prices: rows, contextWindow, summariser, all }, events };
    const compute = (): Promise<SessionResults> => run(task).catch((error: unknown) => failure(session.file, error));
    const results = (await resultsIfStored(task)) ?? (await compute());
    const replayed = replayedSession(session, results, priced);
    await onTimeline?.(replayed, index, async () => results.timeline ?? (await compute()).timeline ?? '');
    return { replayed, progress: { size: events.length, wasStored: results.wasStored } };
  };
  const report = ({ replayed, progress }: Awaited<ReturnType<typeof replay>>): ReplayedSession => {
    options.onSession?.(replayed, progress);
    return replayed;
  };
  try {
    yield* mapInOrder(sessions, replay, report, { concurrency: Math.max(1, workers), signal });
  } finally {
    await close();
  }
}

/**
 * Works on several items at the same time and yields the results in the order of the items. The first error ends it. An abort ends it
 * without an error: no more items are taken, what is not done is left out, and what is done behind it is yielded.
 *
 * @param report - makes the result of each item that was done before the abort
 */
export async function* mapInOrder<Item, Done, Result>(
  items: AsyncIterable<Item>,
  work: (item: Item, index: number) => Promise<Done>,
  report: (done: Done) => Result,
  { concurrency, signal }: { readonly concurrency: number; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<Result> {
  const isAborted = (): boolean => signal?.aborted === true;
  const aborted = new Promise<typeof pMapSkip>((resolve) => {
    signal?.addEventListener('abort', () => resolve(pMapSkip), { once: true });
  });
  async function* untilAborted(): AsyncGenerator<Item> {
    try {
      for await (const item of items) {
        if (isAborted()) return;
        yield item;
      }
    } catch (error) {
      if (!isAborted()) throw error;
    }
  }
  const workUnlessAborted = async (item: Item, index: number) => {
    const done = isAborted() ? pMapSkip : await Promise.race([work(item, index), aborted]);
    return done === pMapSkip ? pMapSkip : report(done);
  };
  // One slow item does not keep the others from beginning.
  const results = pMapIterable(untilAborted(), workUnlessAborted, { concurrency, backpressure: Infinity });
  yield* results as AsyncIterable<Result>;
}

/** @throws {@link HarnessError} `out-of-memory` for the end of a thread without memory, and every other error as it is */
function failure(file: string, error: unknown): never {
  const { code } = error as { readonly code?: unknown };
  if (code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
  throw new HarnessError(
    'out-of-memory',
    `Replaying '${file}' needs more memory than a thread has. Give it more, as with NODE_OPTIONS=--max-old-space-size=8192, ` +
      'or leave the file out.',
    { file, cause: error },
  );
}
