import { linePrinter, printableText } from '@palimpsest/terminal';
import type { FoundSessions } from '../import/find-sessions.js';
import type { Session, SkippedFile } from '../import/index.js';
import { logFiles } from '../import/read-sessions.js';
import type { LogFile } from '../import/read-sessions.js';
import { knownPricesOf, priceRows } from '../measure/money.js';
import { ownVersion } from '../own-package.js';
import { callsByModel, pricedAs, sessionPrices } from '../page/priced-as.js';
import { folderWriter, pageWriter } from '../page/write-page.js';
import type { ReportWriter } from '../page/write-page.js';
import { reportCondensers } from '../replay/named-policy.js';
import type { NamedSource } from '../replay/named-policy.js';
import { parsePolicies } from '../replay/policy.js';
import { defaultCacheFolder, defaultWorkers, replayPaths } from '../replay/replay.js';
import type { ReplayOptions } from '../replay/replay.js';
import { condensedSessions, tokenUnit } from '../replay/report.js';
import type { ReplayedSession, SessionPrices } from '../replay/replayed-session.js';
import { interruptedStatus, untilInterrupted } from './interrupt.js';
import { placesOrFound } from './machine-sessions.js';
import { hasDisplay, openFile } from './open-page.js';
import type { SharedOptions } from './options.js';
import { duration, progress, timeLeft } from './progress.js';
import type { Progress } from './progress.js';
import { readAhead } from './read-ahead.js';
import { outcomeText, pageText } from './report-outcome.js';

/** Options of `palimpsest-harness report`, as the command line gives them. */
export interface ReportCommandOptions extends SharedOptions {
  /** The file, or with `all` the folder. */
  readonly output?: string;
  /** All sessions, each with its timeline, in a folder of pages. */
  readonly all: boolean;
  /** Leave the text of the sessions out. */
  readonly redact: boolean;
  /** Open the page where there is a display. @defaultValue true */
  readonly open?: boolean;
}

/**
 * Replays the sessions at the paths, or the newest ones of this machine's agents, or the sample where there are none. Writes the page,
 * prints a table, and opens the page. Resolves to the exit code: 0, or 1 when there is no session. At SIGINT it shows what is done; then
 * the code is 130.
 *
 * @throws {@link HarnessError} `unknown-model` for a model without known prices
 * @throws {@link HarnessError} `page-not-written` when the page cannot be written
 * @throws {@link HarnessError} `page-too-large` when the figures alone are too large for a page
 */
export async function reportCommand(paths: readonly string[], options: ReportCommandOptions): Promise<number> {
  const { all, condenser, config } = options;
  const isNamed = condenser.length > 0 || config.length > 0;
  const policies = await parsePolicies(isNamed ? options : { condenser: reportCondensers, config: [] });
  const shown = progress();
  try {
    const { places, found } = await placesOrFound(paths, { shown, ...(all && { newest: Infinity }) });
    return await untilInterrupted((signal) => report(places, { ...options, found, policies, shown, signal }));
  } finally {
    shown.stop();
  }
}

/** A report that is being made. */
interface ReportRun extends ReportCommandOptions {
  /** Where the sessions were found. Undefined if their places were named. */
  readonly found: FoundSessions | undefined;
  readonly policies: readonly NamedSource[];
  readonly shown: Progress;
  readonly signal: AbortSignal;
}

async function report(places: readonly string[], run: ReportRun): Promise<number> {
  const { all, redact, found, shown, signal, contextWindow, open = true } = run;
  const read = await readAhead(places, { isFound: found !== undefined, shown, signal });
  const today = new Date();
  const priced = pricedAs(run.model, read.calls, today);
  const pricesOf = ({ events }: Session): SessionPrices => sessionPrices(callsByModel(events), priced, today);
  if (read.count === 0 && !signal.aborted) {
    shown.line(unreadableText(found, read.skipped));
    return 1;
  }
  const data = {
    harness: ownVersion(),
    createdAt: today.toISOString(),
    tokenUnit,
    isSample: found?.sessions.length === 0,
    redacted: redact,
    contextWindow,
    prices: [knownPricesOf(priced.model, today), ...priceRows],
    priced,
    older: found?.more ?? 0,
    skipped: redact ? [] : read.skipped.map(({ file, reason }) => ({ file, reason })),
    skippedFiles: read.skipped.length,
  };
  const pages = all
    ? folderWriter(data, run.output ?? 'palimpsest-report')
    : pageWriter(data, run.output ?? 'palimpsest-report.html');
  const sessions = await replayed(read.readable, read.count, { ...run, pricesOf, onTimeline: pages.onTimeline });
  shown.stop();
  const outcome = { sessions, priced, older: data.older, isInterrupted: signal.aborted };
  if (sessions.length > 0) await write(pages, { ...outcome, all, open });
  else shown.line('Interrupted before a session was done: there is no page.');
  return signal.aborted ? interruptedStatus : 0;
}

/** Writes and prints what was replayed. Sessions without a condensation are told of, and stand in no table, unless all are wanted. */
async function write(
  pages: ReportWriter,
  outcome: Omit<Parameters<typeof outcomeText>[0], 'uncondensed'> & { readonly all: boolean; readonly open: boolean },
): Promise<void> {
  const condensed = condensedSessions(outcome.sessions);
  const counted = outcome.all || condensed.length === 0 ? outcome.sessions : condensed;
  const uncondensed = outcome.sessions.filter((session) => !counted.includes(session));
  const written = await pages.finish(counted, uncondensed.length);
  const print = linePrinter(process.stdout);
  await print(outcomeText({ ...outcome, sessions: counted, uncondensed }));
  const place = { platform: process.platform, environment: process.env, isTerminal: process.stdout.isTTY === true };
  const isOpened = outcome.open && hasDisplay(place) && (await openFile(written.file));
  await print(printableText(pageText(written, isOpened)));
}

/** Replays the sessions, the first place first, and shows how many are done and how long the rest takes. */
async function replayed(
  places: readonly string[],
  count: number,
  {
    policies,
    contextWindow,
    workers = defaultWorkers(),
    cache = true,
    shown,
    signal,
    ...options
  }: ReportRun & Pick<ReplayOptions, 'pricesOf' | 'onTimeline'>,
): Promise<readonly ReplayedSession[]> {
  const files: LogFile[] = [];
  for (const path of places) files.push(...(await logFiles(path)).files);
  const left = await timeLeft(files, () => performance.now());
  let done = 0;
  const run = replayPaths(places, {
    policies,
    contextWindow,
    workers,
    signal,
    cacheFolder: cache ? defaultCacheFolder() : undefined,
    onFile: left.atFile,
    onSession: (_, session) => {
      left.add(session);
      const rest = ++done === count ? undefined : left.estimate();
      const time = rest === undefined ? '' : `, about ${duration(rest)} left`;
      shown.update(`replayed ${done} of ${count} sessions${time}; Ctrl-C stops and shows these`);
    },
    ...options,
  });
  const sessions: ReplayedSession[] = [];
  for await (const session of run) sessions.push(session);
  return sessions;
}

function unreadableText(found: FoundSessions | undefined, skipped: readonly SkippedFile[]): string {
  return [
    found === undefined
      ? 'No session was found: there is no log of a known format.'
      : 'No session that was found can be read. Name a file or a folder of session logs.',
    ...skipped.map(({ file, reason }) => `  ${file}: ${reason}`),
  ].join('\n');
}
