import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Progress } from '../progress.js';
import type { Policy } from '../replay/policy.js';
import type { ReplayedSession } from '../replay/replay-report.js';
import { pageAssets } from './page-assets.js';
import type { PageData, SessionTimeline, TimelineLink } from './page-data.js';
import { pageHtml } from './page-html.js';
import { PageNotWrittenError } from './page-not-written-error.js';
import { redactedTimeline } from './redaction.js';
import { sessionAgain } from './replayed-sessions.js';
import { reportPage } from './report-page.js';
import type { SessionWithTimeline } from './report-page.js';
import { sessionTimeline } from './session-timeline.js';

/** What the pages of a report are made from. */
export interface ReportInput {
  readonly data: Omit<PageData, 'timelines' | 'trimmed'>;
  /** With the paths of their files, which a redacted page does not show. */
  readonly sessions: readonly ReplayedSession[];
  readonly policies: readonly Policy[];
  readonly progress: Progress;
}

/** A file that was written. */
export interface WrittenPage {
  readonly file: string;
  /** Unit: bytes. */
  readonly size: number;
  readonly timelines: number;
  /** Timelines that did not fit. */
  readonly trimmed: number;
}

/** How many of the dearest sessions one page shows call by call. */
export const timelinesOnPage = 20;

/** Writes one page with the timelines of the dearest sessions. */
export async function writePage(input: ReportInput, output: string): Promise<WrittenPage> {
  const timelines: SessionWithTimeline[] = [];
  for (const session of dearestFirst(input.sessions).slice(0, timelinesOnPage)) {
    const timeline = await timelineOf(input, session);
    if (timeline !== undefined) timelines.push({ session, timeline });
  }
  const { html, trimmed } = reportPage(input.data, timelines, await pageAssets());
  const file = await writeText(resolve(output), html);
  return { file, size: Buffer.byteLength(html), timelines: timelines.length - trimmed, trimmed };
}

/** Writes a folder: `index.html` with the figures, and a page for each session in `sessions/`. */
export async function writeFolder(input: ReportInput, output: string): Promise<WrittenPage> {
  const { data, sessions } = input;
  const assets = await pageAssets();
  const links: TimelineLink[] = [];
  let trimmed = 0;
  for (const session of dearestFirst(sessions)) {
    const timeline = await timelineOf(input, session);
    if (timeline === undefined) continue;
    const href = `sessions/${session + 1}.html`;
    const own = data.sessions.slice(session, session + 1);
    const page = reportPage({ ...data, sessions: own, index: '../index.html' }, [{ session: 0, timeline }], assets);
    trimmed += page.trimmed;
    await writeText(resolve(output, href), page.html);
    links.push({ session, href });
  }
  const html = pageHtml({ ...data, timelines: links, trimmed }, [], assets);
  const file = await writeText(resolve(output, 'index.html'), html);
  return { file, size: Buffer.byteLength(html), timelines: links.length - trimmed, trimmed };
}

/** The indices of the sessions, by what they cost with nothing condensed. */
function dearestFirst(sessions: readonly ReplayedSession[]): readonly number[] {
  const cost = (index: number): number => sessions[index]?.replays[0]?.bills[0]?.input ?? 0;
  return sessions.map((_, index) => index).sort((one, other) => cost(other) - cost(one));
}

async function timelineOf(
  { data, sessions, policies, progress }: ReportInput,
  index: number,
): Promise<SessionTimeline | undefined> {
  const session = await sessionAgain(sessions, index);
  if (session === undefined) return undefined;
  const timeline = await sessionTimeline(session, {
    policies,
    contextWindow: data.contextWindow,
    onPolicy: (name) => progress.update(`timeline of ${session.name}: ${name}`),
  });
  return data.redacted ? redactedTimeline(timeline) : timeline;
}

async function writeText(file: string, text: string): Promise<string> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (cause) {
    throw new PageNotWrittenError(file, cause);
  }
  return file;
}
