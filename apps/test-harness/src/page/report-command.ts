import { pathToFileURL } from 'node:url';
import { findSessions } from '../discover/index.js';
import type { FoundSessions } from '../discover/index.js';
import { none } from '../replay/policy.js';
import { ownVersion } from '../own-package.js';
import { progress } from '../progress.js';
import { policiesOf } from '../replay/policies-of.js';
import { reportRows } from '../replay/replay-report.js';
import { linePrinter } from '@palimpsest/terminal';
import { printableText } from '@palimpsest/terminal';
import { bestPolicy } from './headline.js';
import type { PageData } from './page-data.js';
import { redactedSession } from './redaction.js';
import { replayedSessions } from './replayed-sessions.js';
import type { ReplayedSessions } from './replayed-sessions.js';
import type { WrittenPage } from './report-files.js';

/** Options of `palimpsest-harness report`, as the command line gives them. */
export interface ReportCommandOptions {
  /** The file, or with `all` the folder. */
  readonly output?: string;
  readonly condenser: readonly string[];
  /** Files that describe a condenser each. */
  readonly config: readonly string[];
  readonly contextWindow?: number;
  /** The model by whose prices the sessions are priced. */
  readonly model?: string;
  /** How many threads. 0: none but this one. */
  readonly workers?: number;
  /** False: nothing is stored, and nothing that was stored is used. */
  readonly cache?: boolean;
  /** All sessions, each with its timeline, in a folder of pages. */
  readonly all: boolean;
  /** Leave the text of the sessions out. */
  readonly redact: boolean;
}

/** The condensers that a report compares if none is named. */
export const reportCondensers: readonly string[] = [
  'recentEvents',
  'observationMasking',
  'extractiveSummary',
  'priced',
  'llmSummarizing',
];

/**
 * Replays the sessions at the paths, or the newest ones of this machine's agents, and writes the page. Resolves to the exit
 * code: 0, or 1 when there is no session.
 *
 * @throws {@link UnknownModelError} for a model without known prices
 * @throws {@link PageNotWrittenError} when the page cannot be written
 * @throws {@link PageTooLargeError} when the figures alone are too large for a page
 */
export async function reportCommand(paths: readonly string[], options: ReportCommandOptions): Promise<number> {
  const { all, redact, contextWindow, model, condenser, config, workers, cache } = options;
  const isNamed = condenser.length > 0 || config.length > 0;
  const policies = await policiesOf({ condenser: isNamed ? condenser : reportCondensers, config });
  const found = paths.length > 0 ? undefined : await findSessions(all ? { newest: Infinity } : {});
  const places = found === undefined ? paths : found.sessions.map(({ path }) => path);
  const shown = progress();
  try {
    const isFound = found !== undefined;
    const replayed = await replayedSessions(places, {
      policies,
      contextWindow,
      workers,
      cache,
      model,
      isFound,
      progress: shown,
    });
    const { sessions, skipped } = replayed;
    if (sessions.length === 0) {
      shown.line(noSession(found, skipped));
      return 1;
    }
    const data = {
      ...replayed,
      harness: ownVersion(),
      createdAt: new Date().toISOString(),
      redacted: redact,
      contextWindow,
      older: found?.more ?? 0,
      sessions: redact ? sessions.map(redactedSession) : sessions,
      skipped: redact ? [] : skipped,
      skippedFiles: skipped.length,
    };
    // Loads what replays. Not before there is something to replay: it takes long.
    const { writeFolder, writePage } = await import('./report-files.js');
    const input = { data, sessions, policies, progress: shown };
    const written = all
      ? await writeFolder(input, options.output ?? 'palimpsest-report')
      : await writePage(input, options.output ?? 'palimpsest-report.html');
    shown.stop();
    await linePrinter(process.stdout)(printableText(outcome(data, written).join('\n')));
    return 0;
  } finally {
    shown.stop();
  }
}

function outcome(
  { sessions, priced, older }: Pick<PageData, 'sessions' | 'priced' | 'older'>,
  { file, size, timelines, trimmed }: WrittenPage,
): readonly string[] {
  const rows = reportRows(sessions);
  const best = bestPolicy(rows, 0);
  const row = rows.find(({ condenser }) => condenser === best);
  const { bill = 0, billOfNone = 0 } = row?.savings[0] ?? {};
  const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
  const cost = `${counted(sessions.length, 'session')} cost $${billOfNone.toFixed(2)} of input at the prices of ${priced.model}`;
  const saved =
    best === none.name
      ? 'no condenser makes them cheaper.'
      : `with ${best} $${bill.toFixed(2)}, and ${((row?.recall ?? 0) * 100).toFixed(1)} % of what later calls used stays in view.`;
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

function noSession(found: FoundSessions | undefined, skipped: ReplayedSessions['skipped']): string {
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
