import { pathToFileURL } from 'node:url';
import { alignedTable, coloursFor, printableText, terminalWidth, wrapToWidth } from '@palimpsest/terminal';
import type { PricedAs } from '../page/page-data.js';
import { pricingText } from '../page/pricing-text.js';
import type { WrittenPage } from '../page/write-page.js';
import { none } from '../replay/named-policy.js';
import { condensedSessions, isLong, recommendedPolicy, reportRows } from '../replay/report.js';
import type { ReplayRow } from '../replay/report.js';
import { savedWithRereads } from '../replay/savings.js';
import type { ReplayedSession } from '../replay/replayed-session.js';
import { count, percent, shareText } from './number-text.js';
import { forgottenText } from './tables.js';

/** The result of a report. */
export interface Outcome {
  /** The sessions of the table and of the page. */
  readonly sessions: readonly ReplayedSession[];
  /** The sessions that are in neither, because no policy condensed anything in them. */
  readonly uncondensed: readonly ReplayedSession[];
  readonly priced: PricedAs;
  /** Older sessions that were found and left out. */
  readonly older: number;
  /** Not all sessions were replayed. */
  readonly isInterrupted: boolean;
}

/** Formats the one table of a report: what each policy saves of the bill, in the worst session too, and what it forgets. */
export function outcomeText({ sessions, uncondensed, priced, older, isInterrupted }: Outcome): string {
  const rows = reportRows(sessions);
  const { billOfNone = 0 } = rows[0]?.savings[0] ?? {};
  const pricing = pricingText(sessions, priced, (some) => count(some, 'session'));
  const cost = `${count(sessions.length, 'session')} cost $${billOfNone.toFixed(2)} of input with nothing condensed, ${pricing}.`;
  const isEmpty = condensedSessions(sessions).length === 0;
  return [
    ...(isInterrupted ? ['Interrupted: what follows is of the sessions that were done.'] : []),
    ...wrapped(cost),
    ...(isEmpty ? wrapped(uncondensedLine(sessions, true)) : ['', table(rows), '', ...wrapped(reading(rows))]),
    ...(uncondensed.length > 0 ? wrapped(uncondensedLine(uncondensed, false)) : []),
    ...(older > 0
      ? wrapped(`${count(older, 'older session')} were left out; --all takes them, or name their folders.`)
      : []),
  ].join('\n');
}

const widestText = 100;

function wrapped(text: string): readonly string[] {
  return wrapToWidth(printableText(text), Math.min(widestText, terminalWidth(process.stdout)));
}

function reading(rows: readonly ReplayRow[]): string {
  const hasStandIn = rows.some(({ summariserCalls }) => summariserCalls.calls > 0);
  return (
    'Saved is a share of that bill. What a call needs and no longer sees is read again before it, and that is paid. ' +
    'Forgotten is the share of what later calls took from old results that was not in view.' +
    (hasStandIn ? ' ≤: no model was called; the summaries have no content.' : '') +
    (rows.some(({ condenser }) => condenser === recommendedPolicy)
      ? ` ${recommendedPolicy} is recommended, because it saves most over many recorded sessions (docs/results.md of this package); ` +
        'in few or short ones another may save more.'
      : '')
  );
}

/** The policies, the one that saves most first. */
function table(rows: readonly ReplayRow[]): string {
  const saved = ({ savings: [savings] }: ReplayRow): number => (savings === undefined ? 0 : savedWithRereads(savings));
  const policies = rows.filter(({ condenser }) => condenser !== none.name);
  // Of one session, that would be the same again.
  const hasWorst = (rows[0]?.sessions ?? 0) > 1;
  const lines = policies
    .toSorted((one, other) => saved(other) - saved(one))
    .map((row) => [
      row.condenser === recommendedPolicy ? `${row.condenser} (recommended)` : row.condenser,
      percent(saved(row)),
      ...(hasWorst ? [shareText(row.savings[0]?.inLoop.evidence?.worst)] : []),
      forgottenText(row, true),
    ]);
  const head = ['', 'saved with re-reads', ...(hasWorst ? ['worst session'] : []), 'forgotten'];
  return alignedTable([head, ...lines], coloursFor(process.stdout).bold);
}

/** Says that sessions are in no table, where a table would be of zeros. */
export function uncondensedLine(sessions: readonly ReplayedSession[], isAll: boolean): string {
  const kind = sessions.some(isLong) ? 'session' : 'short session';
  const { length } = sessions;
  if (isAll)
    return `In ${length === 1 ? `this ${kind}` : `these ${kind}s`} no policy had anything to condense, so none saves anything.`;
  const verb = length === 1 ? 'is' : 'are';
  return `${count(length, kind)}, in which no policy had anything to condense, ${verb} not counted.`;
}

/** Says where the page is, and what of the sessions it does not hold. */
export function pageText({ file, size, timelines, trimmed }: WrittenPage, isOpened: boolean): string {
  return [
    ...(trimmed > 0
      ? [`${count(trimmed, 'timeline')} were left out, because a page has at most 20 MB; --all writes a page for each.`]
      : []),
    `${isOpened ? 'Opened the page' : 'The page'}, in which ${count(timelines, 'session')} can be stepped through (${(size / 1e6).toFixed(1)} MB):`,
    pathToFileURL(file).href,
  ].join('\n');
}
