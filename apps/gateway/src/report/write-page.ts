import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GatewayError } from '../gateway-error.js';
import { withSummaries } from './read-report.js';
import type { Report } from './read-report.js';
import { reportPage } from './report-page.js';

/** The number of conversations that are shown one by one, the newest first. */
const mostShown = 100;

/** Writes the page, readable by its user alone: it may hold words of conversations. Returns its path. @throws {@link GatewayError} when it cannot be written */
export async function writeReportPage(data: string, report: Report, file: string): Promise<string> {
  const shown = await Promise.all(report.conversations.slice(0, mostShown).map((one) => withSummaries(data, one)));
  const conversations = [...shown, ...report.conversations.slice(mostShown)];
  const place = path.resolve(file);
  try {
    await writeFile(place, reportPage({ ...report, conversations }, shown, new Date()), { mode: 0o600 });
  } catch (cause) {
    throw new GatewayError('invalid-file', `The page cannot be written to '${place}': ${(cause as Error).message}`, {
      cause,
    });
  }
  return place;
}
