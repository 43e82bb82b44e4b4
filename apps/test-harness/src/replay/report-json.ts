import { pooledCache } from '../measure/recorded-cache.js';
import { printableJson } from '@palimpsest/terminal';
import { isLong, rentRegret, reportRows } from './replay-report.js';
import { shortReason } from './report-text.js';
import type { Report } from './report-text.js';
import { tokenUnit } from './token-unit.js';

/** The report as one JSON document. Shares and prices are numbers; counts of tokens are in the unit that it names. */
export function reportJson({ sessions, skipped, summariser, isInterrupted }: Report): string {
  const long = sessions.filter(isLong);
  const report = {
    tokenUnit,
    /** The model that condensers asked; the stand-in's summaries have no content, so recall with it is a lower bound. */
    summariser: summariser ?? 'stand-in',
    isInterrupted,
    rows: reportRows(sessions),
    rent: rentRegret(sessions),
    /** What the providers of all sessions reported to have read from their caches, beside what they should have. */
    recordedCache: pooledCache(sessions.map((session) => session.recordedCache)),
    long: { sessions: long.map(({ name }) => name), rows: reportRows(long), rent: rentRegret(long) },
    sessions,
    skipped: skipped.map((each) => ({ file: each.file, reason: shortReason(each), notes: each.notes })),
  };
  return printableJson(report);
}
