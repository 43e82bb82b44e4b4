import { coloursFor, printableLine, printableJson } from '@palimpsest/terminal';
import { HarnessError } from '../harness-error.js';
import type { HostileReport } from '../hostile/report.js';
import { logFormatNames } from '../import/index.js';
import type { SkippedFile } from '../import/index.js';
import { pooledCache } from '../measure/recorded-cache.js';
import { condensedSessions, isLong, noteCounts, reportRows, tokenUnit } from '../replay/report.js';
import { pairedRows } from '../replay/paired.js';
import { ruleRegrets } from '../replay/savings.js';
import type { ReplayedSession } from '../replay/replayed-session.js';
import { uncondensedLine } from './report-outcome.js';
import { reportTables } from './tables.js';

/** The results of a replay, to be printed. */
export interface Report {
  readonly sessions: readonly ReplayedSession[];
  readonly skipped: readonly SkippedFile[];
  /** The model that was asked. @defaultValue the stand-in */
  readonly summariser?: string | undefined;
  /** Not all sessions were replayed. */
  readonly isInterrupted: boolean;
  /** The result of the generated sessions. @defaultValue none: not all was measured */
  readonly hostile?: HostileReport | undefined;
}

/** Options of {@link reportText}. */
export interface ReportTextOptions {
  /** True if each session has a table of its own, too. */
  readonly sessions: boolean;
  /** True if all tables are shown. */
  readonly all: boolean;
}

/**
 * Formats the report as text: the table, what went wrong, how to read it, and the files without a session. Sessions in which nothing was
 * condensed are in the table only with `all`, as a table of the long ones.
 */
export function reportText(report: Report, { sessions: eachSession, all }: ReportTextOptions): string {
  const { sessions } = report;
  const options = { all, hasStandIn: report.summariser === undefined, colours: coloursFor(process.stdout) };
  const table = (some: readonly ReplayedSession[]): string => reportTables(some, options);
  const long = sessions.filter(isLong);
  const counted = all ? sessions : condensedSessions(sessions);
  const uncondensed = sessions.filter((session) => !counted.includes(session));
  const each = eachSession && sessions.length > 1 ? sessions : [];
  const lines = [
    ...(report.isInterrupted ? ['Interrupted: what follows is of the sessions that were done.'] : []),
    ...each.flatMap((session) => [
      '',
      `${printableLine(session.name)} (${session.format})${markOf(session)}`,
      table([session]),
    ]),
    ...(each.length > 0 ? ['', 'All sessions'] : []),
    ...(counted.length > 0 ? [table(counted)] : []),
    ...(uncondensed.length > 0 ? [uncondensedLine(uncondensed, counted.length === 0)] : []),
    ...(all && long.length > 0 && long.length < sessions.length
      ? ['', 'Long sessions (at least 150 model calls and 60,000 tokens)', table(long)]
      : []),
    ...(sessions.length === 0 && !report.isInterrupted
      ? ['No session was found: there is no log of a known format.']
      : []),
    ...recordedCacheLine(sessions),
    ...sessions.flatMap(troublesOf),
    ...(sessions.length > 0 ? ['', explanation(report, all)] : []),
    ...remarks(report),
  ];
  return lines.join('\n');
}

/** Formats the report as one JSON document. Shares and prices are numbers; counts of tokens are in the unit that it names. */
export function reportJson({ sessions, skipped, summariser, isInterrupted, hostile }: Report): string {
  const long = sessions.filter(isLong);
  const report = {
    tokenUnit,
    /** The model that condensers asked; the stand-in's summaries have no content, so recall with it is a lower bound. */
    summariser: summariser ?? 'stand-in',
    isInterrupted,
    rows: reportRows(sessions),
    rules: ruleRegrets(sessions),
    paired: pairedRows(sessions),
    /** What the providers of all sessions reported to have read from their caches, beside what they should have. */
    recordedCache: pooledCache(sessions.map((session) => session.recordedCache)),
    long: {
      sessions: long.map(({ name }) => name),
      rows: reportRows(long),
      rules: ruleRegrets(long),
      paired: pairedRows(long),
    },
    hostile,
    sessions,
    skipped: skipped.map((each) => ({ file: each.file, reason: shortReason(each), notes: each.notes })),
  };
  return printableJson(report);
}

/** Says what the recorded providers' caches read. It is the same for every condenser. */
function recordedCacheLine(sessions: readonly ReplayedSession[]): readonly string[] {
  const withUsage = sessions.filter(({ recordedCache }) => recordedCache !== undefined);
  const pooled = pooledCache(withUsage.map(({ recordedCache }) => recordedCache));
  if (pooled === undefined) return [];
  const { answers, expectedReadTokens, reportedReadTokens, drifts } = pooled;
  const share = ((100 * reportedReadTokens) / expectedReadTokens).toFixed(1);
  const reasons = Object.entries(drifts).map(([reason, count]) => `${reason} ${count}`);
  const drift =
    reasons.length === 0 ? 'no answer read too little' : `answers that read too little: ${reasons.join(', ')}`;
  const of = `${withUsage.length} of ${sessions.length} sessions, ${answers.toLocaleString('en-GB')} answers`;
  return [`Recorded cache: read ${share} % of what it should have (${of}); ${drift}`];
}

function markOf({ recordedCompactions }: ReplayedSession): string {
  return recordedCompactions === 0 ? '' : `, compacted ${times(recordedCompactions)} when it was recorded`;
}

function troublesOf({ name, replays }: ReplayedSession): readonly string[] {
  return replays.flatMap(({ condenser, refusals, condenserErrors, overflowed, overflows }) => {
    const at = (modelCall: number): string => `${printableLine(name)}, ${condenser}, model call ${modelCall + 1}`;
    return [
      ...refusals.map(
        ({ provider, rule, path, message, modelCall }) =>
          `refused: ${at(modelCall)}: ${provider} ${rule} at ${path}: ${printableLine(message)}`,
      ),
      ...condenserErrors
        .slice(0, 3)
        .map(({ modelCall, message }) => `failed: ${at(modelCall)}: ${printableLine(message)}`),
      ...overflowed
        .slice(0, 1)
        .map(
          ({ modelCall, tokens, did }) =>
            `overflow: ${at(modelCall)}: ${tokens.toLocaleString('en-GB')} tokens, ${times(overflows)}; at the first the condenser did: ${printableLine(did)}`,
        ),
    ];
  });
}

function explanation({ summariser }: Report, all: boolean): string {
  return [
    'Bills are of input and of the condenser’s own model calls; r is the price of a cached token, a written one costs 1.25, an',
    'output token 5 times an uncached one. With re-reads, what a call took from old results and does not see is read again before it, and',
    'that is paid. Forgotten is the share of what later calls took from old results that was not in view; missed are the results.',
    ...(summariser === undefined
      ? [
          'Condensers that call a model got a stand-in whose summaries have no content, so they forget at most that; --summariser',
          'calls a real one.',
        ]
      : [`Condensers that call a model called ${summariser}.`]),
    'What the recorded agent condensed is left out.',
    all
      ? 'ms/call is the time of this program, which varies with the machine.'
      : 'More tables: --all. All figures: --json.',
  ].join('\n');
}

function remarks({ sessions, skipped }: Report): readonly string[] {
  const notes = noteCounts(sessions);
  const compacted = sessions.filter(({ recordedCompactions }) => recordedCompactions > 0);
  const unknown = skipped.filter((each) => shortReason(each) !== each.reason);
  return [
    ...(compacted.length > 0
      ? [
          `Compacted by the recording agent, so that later calls saw less than the log holds: ${compacted.length} of ${sessions.length} sessions`,
          ...compacted.map(
            ({ name, recordedCompactions }) => `  ${printableLine(name)}: ${times(recordedCompactions)}`,
          ),
        ]
      : []),
    ...(notes.size > 0
      ? [`Notes while reading: ${[...notes].map(([kind, count]) => `${kind} ${count}`).join(', ')}`]
      : []),
    ...(skipped.length > 0 ? [`Files without a session: ${skipped.length}`] : []),
    ...skipped.map((each) => `  ${printableLine(each.file)}: ${printableLine(shortReason(each))}`),
    ...(unknown.length > 0 ? [`The known formats are: ${logFormatNames.join(', ')}`] : []),
  ];
}

/** Returns the reason without the list of formats, which stands below all files. */
function shortReason({ reason, error }: SkippedFile): string {
  return HarnessError.isInstance(error) && error.code === 'unknown-log-format' ? (error.reason ?? reason) : reason;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
