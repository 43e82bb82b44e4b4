import { resolve } from 'node:path';
import { linePrinter } from '@palimpsest/terminal';
import { logFiles } from '../import/read-sessions.js';
import type { LogFile } from '../import/read-sessions.js';
import { knownPricesOf, priceRows } from '../measure/money.js';
import { assertSummariser } from '../replay/models.js';
import { parsePolicies } from '../replay/policy.js';
import type { NamedSource } from '../replay/named-policy.js';
import { defaultCacheFolder, defaultWorkers, replayPaths } from '../replay/replay.js';
import { reportRows } from '../replay/report.js';
import type { ReplayedSession } from '../replay/replayed-session.js';
import { hostileText, replayHostile } from './hostile.js';
import { interruptedStatus, untilInterrupted } from './interrupt.js';
import type { SharedOptions } from './options.js';
import { placesOrFound } from './machine-sessions.js';
import { duration, progress, timeLeft } from './progress.js';
import { readAhead } from './read-ahead.js';
import { reportJson, reportText } from './report-text.js';
import type { Report } from './report-text.js';

/** Options of `palimpsest-harness replay`, as the command line gives them. */
export interface ReplayCommandOptions extends SharedOptions {
  /** A model that condensers really ask, as `provider/name`. */
  readonly summariser?: string;
  readonly sessions: boolean;
  /** All tables, not one alone; what only they show is measured, too. */
  readonly all: boolean;
  readonly json: boolean;
}

/** The lengths of the generated sessions. Unit: steps. */
const hostileLengths: readonly number[] = [200, 60];

/**
 * Replays the sessions at the paths, or the newest ones of this machine's agents, or the sample where there are none, and prints the report. With `all` the generated sessions follow, which take long. Resolves to the exit code: 0, or 1
 * when a provider would refuse a message list, a condenser failed, or nothing could be replayed. At SIGINT it prints what is done; then
 * the code is 130.
 *
 * @throws {@link CondenserNotFoundError} for a name that is no condenser; lists those that are.
 * @throws {@link InvalidCondenserConfigError} for a configuration that describes none.
 */
export async function replayCommand(paths: readonly string[], options: ReplayCommandOptions): Promise<number> {
  const { summariser, all, json } = options;
  if (summariser !== undefined) assertSummariser(summariser);
  const policies = await parsePolicies(options);
  return untilInterrupted(async (signal) => {
    const { sessions, skipped } = await replayLogs(paths, policies, options, signal);
    const report = { sessions, skipped, summariser };
    const print = linePrinter(process.stdout);
    if (!json) await print(reportText({ ...report, isInterrupted: signal.aborted }, options));
    const hostile =
      all && sessions.length > 0 && !signal.aborted
        ? await replayHostile(policies, hostileLengths, options, signal)
        : undefined;
    if (json) await print(reportJson({ ...report, isInterrupted: signal.aborted, hostile }));
    else if (hostile !== undefined) await print(`\n${hostileText(hostile)}`);
    if (signal.aborted) return interruptedStatus;
    const bad = reportRows(sessions).some((row) => row.refusedLists > 0 || row.condenserErrors > 0);
    return bad || sessions.length === 0 ? 1 : 0;
  });
}

/** Replays session logs, those of this machine if none is named, and shows the sessions that are done and how long the rest takes. */
async function replayLogs(
  paths: readonly string[],
  policies: readonly NamedSource[],
  { contextWindow, summariser, model, all, workers = defaultWorkers(), cache = true }: ReplayCommandOptions,
  signal: AbortSignal,
): Promise<Pick<Report, 'sessions' | 'skipped'>> {
  const dollars = model === undefined ? [] : [knownPricesOf(model, new Date())];
  const shown = progress();
  try {
    const { places: named, found } = await placesOrFound([...new Set(paths.map((path) => resolve(path)))], { shown });
    const read = found && (await readAhead(named, { isFound: true, shown, signal }));
    const places = read?.readable ?? named;
    // A path that is not there is refused before the others are replayed.
    const files: LogFile[] = [];
    for (const path of places) files.push(...(await logFiles(path)).files);
    const left = await timeLeft(files, () => performance.now());
    const run = replayPaths(places, {
      policies,
      prices: [...dollars, ...priceRows],
      contextWindow,
      summariser,
      all,
      workers,
      cacheFolder: cache ? defaultCacheFolder() : undefined,
      signal,
      onFile: left.atFile,
      onSession: ({ name, format, events, replays: [first] }, session) => {
        left.add(session);
        shown.line(`${name} (${format}): ${events} events, ${first?.modelCalls ?? 0} model calls`);
        const remaining = left.estimate();
        if (remaining !== undefined) shown.update(`about ${duration(remaining)} left`);
      },
    });
    const sessions: ReplayedSession[] = [];
    for await (const session of run) sessions.push(session);
    return { sessions, skipped: read?.skipped ?? run.skipped };
  } finally {
    shown.stop();
  }
}
