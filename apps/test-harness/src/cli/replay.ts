import { resolve } from 'node:path';
import { linePrinter } from '@palimpsest/terminal';
import { logFiles } from '../import/read-sessions.js';
import type { LogFile } from '../import/read-sessions.js';
import { knownPricesOf, priceRows } from '../measure/money.js';
import { assertSummariser } from '../replay/models.js';
import { parsePolicies } from '../replay/policy.js';
import { defaultCacheFolder, defaultWorkers, replayPaths } from '../replay/replay.js';
import { reportRows } from '../replay/report.js';
import type { ReplayedSession } from '../replay/replayed-session.js';
import { duration, progress, timeLeft } from './progress.js';
import { reportJson, reportText } from './report-text.js';

/** Options of `replay` and `report`, as the command line gives them: what is replayed, and how. */
export interface SharedOptions {
  /** Names, packages, options and sweeps. */
  readonly condenser: readonly string[];
  /** Files that describe a condenser each. */
  readonly config: readonly string[];
  readonly contextWindow?: number;
  /** A model by whose prices the sessions are priced, in USD. */
  readonly model?: string;
  /** The number of threads. 0: none but this one. */
  readonly workers?: number;
  /** False: nothing is stored, and nothing that was stored is used. */
  readonly cache?: boolean;
}

/** Options of `palimpsest-harness replay`, as the command line gives them. */
export interface ReplayCommandOptions extends SharedOptions {
  /** A model that condensers really ask, as `provider/name`. */
  readonly summariser?: string;
  readonly sessions: boolean;
  /** All tables, not one alone; what only they show is measured, too. */
  readonly all: boolean;
  readonly json: boolean;
}

const interrupted = 130;

/**
 * Replays the paths and prints the report. Resolves to the exit code: 0, or 1 when a provider would refuse a message list,
 * a condenser failed, or nothing could be replayed. At SIGINT it prints what is done; then the code is 130.
 *
 * @throws {@link CondenserNotFoundError} for a name that is no condenser; lists those that are.
 * @throws {@link InvalidCondenserConfigError} for a configuration that describes none.
 */
export async function replayCommand(paths: readonly string[], options: ReplayCommandOptions): Promise<number> {
  const { contextWindow, summariser, workers = defaultWorkers(), cache = true } = options;
  if (summariser !== undefined) assertSummariser(summariser);
  const policies = await parsePolicies(options);
  const dollars = options.model === undefined ? [] : [knownPricesOf(options.model, new Date())];
  const places = [...new Set(paths.map((path) => resolve(path)))];
  // A path that is not there is refused before the others are replayed.
  const files: LogFile[] = [];
  for (const path of places) files.push(...(await logFiles(path)).files);

  const shown = progress();
  const left = await timeLeft(files, () => performance.now());
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  process.once('SIGINT', stop);
  const run = replayPaths(places, {
    policies,
    prices: [...dollars, ...priceRows],
    contextWindow,
    summariser,
    all: options.all,
    workers,
    cacheFolder: cache ? defaultCacheFolder() : undefined,
    signal: controller.signal,
    onFile: left.atFile,
    onSession: ({ name, format, events, replays: [first] }, session) => {
      left.add(session);
      shown.line(`${name} (${format}): ${events} events, ${first?.modelCalls ?? 0} model calls`);
      const remaining = left.estimate();
      if (remaining !== undefined) shown.update(`about ${duration(remaining)} left`);
    },
  });
  const sessions: ReplayedSession[] = [];
  try {
    for await (const session of run) sessions.push(session);
  } finally {
    shown.stop();
    process.off('SIGINT', stop);
  }
  const isInterrupted = controller.signal.aborted;
  const report = { sessions, skipped: run.skipped, summariser, isInterrupted };
  const rows = reportRows(sessions);
  const print = linePrinter(process.stdout);
  await print(options.json ? reportJson(report) : reportText(report, options));
  if (isInterrupted) return interrupted;
  const bad = rows.some(({ refusedLists, condenserErrors }) => refusedLists > 0 || condenserErrors > 0);
  return bad || sessions.length === 0 ? 1 : 0;
}
