import { pathToFileURL } from 'node:url';
import { PalimpsestError } from '@palimpsest/events';
import { linePrinter, printableText } from '@palimpsest/terminal';
import { findSessions } from '../import/find-sessions.js';
import type { FoundSessions } from '../import/find-sessions.js';
import { readSessions } from '../import/index.js';
import type { SkippedFile } from '../import/index.js';
import { knownPricesOf, priceRows } from '../measure/money.js';
import { ownVersion } from '../own-package.js';
import type { PricedAs } from '../page/page-data.js';
import { pricedAs } from '../page/priced-as.js';
import { folderWriter, pageWriter } from '../page/write-page.js';
import type { WrittenPage } from '../page/write-page.js';
import { none, reportCondensers } from '../replay/named-policy.js';
import { parsePolicies } from '../replay/policy.js';
import { defaultCacheFolder, defaultWorkers, replayPaths } from '../replay/replay.js';
import { bestPolicy, reportRows, tokenUnit } from '../replay/report.js';
import { savedWithRereads } from '../replay/savings.js';
import type { ReplayedSession } from '../replay/replayed-session.js';
import type { SharedOptions } from './options.js';
import { progress } from './progress.js';
import type { Progress } from './progress.js';

/** Options of `palimpsest-harness report`, as the command line gives them. */
export interface ReportCommandOptions extends SharedOptions {
  /** The file, or with `all` the folder. */
  readonly output?: string;
  /** All sessions, each with its timeline, in a folder of pages. */
  readonly all: boolean;
  /** Leave the text of the sessions out. */
  readonly redact: boolean;
}

/**
 * Replays the sessions at the paths, or the newest ones of this machine's agents, and writes the page. Resolves to the exit
 * code: 0, or 1 when there is no session.
 *
 * @throws {@link HarnessError} `unknown-model` for a model without known prices
 * @throws {@link HarnessError} `page-not-written` when the page cannot be written
 * @throws {@link HarnessError} `page-too-large` when the figures alone are too large for a page
 */
export async function reportCommand(paths: readonly string[], options: ReportCommandOptions): Promise<number> {
  const { all, redact, contextWindow, condenser, config, workers = defaultWorkers(), cache = true } = options;
  const isNamed = condenser.length > 0 || config.length > 0;
  const policies = await parsePolicies({ condenser: isNamed ? condenser : reportCondensers, config });
  const found = paths.length > 0 ? undefined : await findSessions(all ? { newest: Infinity } : {});
  const shown = progress();
  try {
    const places = found === undefined ? paths : found.sessions.map(({ path }) => path);
    const read = await readAhead(places, { isFound: found !== undefined, progress: shown });
    const today = new Date();
    const priced = pricedAs(options.model, read.calls, today);
    const prices = [knownPricesOf(priced.model, today), ...priceRows];
    if (read.count === 0) {
      shown.line(noSession(found, read.skipped));
      return 1;
    }
    const data = {
      harness: ownVersion(),
      createdAt: today.toISOString(),
      tokenUnit,
      redacted: redact,
      contextWindow,
      prices,
      priced,
      older: found?.more ?? 0,
      skipped: redact ? [] : read.skipped.map(({ file, reason }) => ({ file, reason })),
      skippedFiles: read.skipped.length,
    };
    const pages = all
      ? folderWriter(data, options.output ?? 'palimpsest-report')
      : pageWriter(data, options.output ?? 'palimpsest-report.html');
    let done = 0;
    const sessions: ReplayedSession[] = [];
    const run = replayPaths(read.readable, {
      policies,
      prices,
      contextWindow,
      workers,
      cacheFolder: cache ? defaultCacheFolder() : undefined,
      onSession: ({ name }) => shown.update(`replayed ${++done} of ${read.count} sessions: ${name}`),
      onTimeline: pages.onTimeline,
    });
    for await (const session of run) sessions.push(session);
    const written = await pages.finish(sessions);
    shown.stop();
    await linePrinter(process.stdout)(
      printableText(outcome({ sessions, priced, older: data.older }, written).join('\n')),
    );
    return 0;
  } finally {
    shown.stop();
  }
}

/** Reads all sessions once, for the model whose prices count and for the files without a session. */
async function readAhead(
  paths: readonly string[],
  { isFound, progress }: { readonly isFound: boolean; readonly progress: Progress },
) {
  const calls = new Map<string, number>();
  const [readable, unreadable, skipped]: [string[], SkippedFile[], SkippedFile[]] = [[], [], []];
  let count = 0;
  for (const path of paths) {
    try {
      const reader = readSessions(path);
      for await (const { events } of reader) {
        for (const event of events)
          if (event.type === 'llm-usage') calls.set(event.model, (calls.get(event.model) ?? 0) + 1);
        count++;
      }
      readable.push(path);
      skipped.push(...reader.skipped);
    } catch (error) {
      // A path that was found and not named is skipped.
      if (!isFound || !PalimpsestError.isInstance(error)) throw error;
      unreadable.push({ file: path, reason: error.message, notes: [] });
    }
    progress.update(`reading ${path}`);
  }
  return { calls, count, readable, skipped: [...unreadable, ...skipped] };
}

function outcome(
  {
    sessions,
    priced,
    older,
  }: { readonly sessions: readonly ReplayedSession[]; readonly priced: PricedAs; readonly older: number },
  { file, size, timelines, trimmed }: WrittenPage,
): readonly string[] {
  const rows = reportRows(sessions);
  const best = bestPolicy(rows, 0);
  const row = rows.find(({ condenser }) => condenser === best);
  const [savings] = row?.savings ?? [];
  const { billOfNone = 0 } = savings ?? {};
  const bill = billOfNone * (1 - (savings === undefined ? 0 : savedWithRereads(savings)));
  const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
  const cost = `${counted(sessions.length, 'session')} cost $${billOfNone.toFixed(2)} of input at the prices of ${priced.model}`;
  const saved =
    best === none.name
      ? 'no condenser makes them cheaper.'
      : `with ${best} $${bill.toFixed(2)}, re-reads in the loop, and ${((row?.recall ?? 0) * 100).toFixed(1)} % of what later calls used stays in view.`;
  return [
    `${cost}; ${saved}`,
    ...(older > 0
      ? [`${counted(older, 'older session')} were left out; --all takes them, or name their folders.`]
      : []),
    ...(trimmed > 0
      ? [`${trimmed} timelines were left out, because a page has at most 20 MB; --all writes a page for each.`]
      : []),
    `${counted(timelines, 'session')} can be stepped through. ${(size / 1e6).toFixed(1)} MB: ${pathToFileURL(file).href}`,
  ];
}

function noSession(found: FoundSessions | undefined, skipped: readonly SkippedFile[]): string {
  const files = skipped.map(({ file, reason }) => `  ${file}: ${reason}`);
  if (found === undefined) return ['No session was found: there is no log of a known format.', ...files].join('\n');
  const folders = found.folders.map(
    ({ folder, problem }) => `  ${folder}${problem === undefined ? '' : `: ${problem}`}`,
  );
  return [
    'No session was found in the folders of known agents. Name a file or a folder of session logs.',
    ...folders,
    ...files,
  ].join('\n');
}
