import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { HarnessError, messageOf } from '../harness-error.js';
import { ownFile } from '../own-package.js';
import type { ReplayOptions } from '../replay/replay.js';
import type { ReplayedSession } from '../replay/replayed-session.js';
import type { SessionTimeline } from '../replay/timeline.js';
import type { PageAssets } from './html.js';
import type { PageData, TimelineLink } from './page-data.js';
import { pageHtml, redactedSession, redactedTimeline, reportPage, withoutCalls } from './page.js';

/** All that a page shows besides the sessions, and is known before they are replayed. */
export type ReportData = Omit<PageData, 'sessions' | 'uncondensed' | 'timelines' | 'trimmed'>;

/** A writer of the pages of a report. It works while the sessions are replayed. */
export interface ReportWriter {
  /** Takes a session that has been replayed, with its timeline. */
  readonly onTimeline: NonNullable<ReplayOptions['onTimeline']>;
  /** Writes what is left, with the figures of these sessions; so many others are only told of. */
  finish(sessions: readonly ReplayedSession[], uncondensed: number): Promise<WrittenPage>;
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

/** The number of the dearest sessions that one page shows call by call. */
const timelinesOnPage = 20;

interface Priced {
  /** The position at which the session was replayed. */
  readonly session: number;
  readonly replayed: ReplayedSession;
  /** What the session costs with nothing condensed. */
  readonly cost: number;
}

/** Writes one page with the timelines of the dearest sessions. */
export function pageWriter(data: ReportData, output: string): ReportWriter {
  const dearest: (Priced & { readonly timeline: string })[] = [];
  return {
    onTimeline: async (replayed, session, timeline) => {
      const priced = { session, replayed, cost: costOf(replayed) };
      const least = dearest[timelinesOnPage - 1];
      // Who is not among the dearest so far will never be.
      if (least !== undefined && byCost(least, priced) < 0) return;
      dearest.push({ ...priced, timeline: shownTimeline(await timeline(), data) });
      dearest.sort(byCost).splice(timelinesOnPage);
    },
    finish: async (sessions, uncondensed) => {
      const shown = sessions.map((session, index) => shownSession(session, index, data));
      const timelines = dearest.flatMap(({ replayed, timeline }) => {
        const session = sessions.indexOf(replayed);
        return session === -1 ? [] : [{ session, timeline }];
      });
      const page = { ...data, sessions: shown, uncondensed };
      const { html, trimmed } = reportPage(page, timelines, await pageAssets());
      const file = await writeText(resolve(output), html);
      return { file, size: Buffer.byteLength(html), timelines: timelines.length - trimmed, trimmed };
    },
  };
}

/** Writes a folder: `index.html` with the figures, and a page for each session in `sessions/`. */
export function folderWriter(data: ReportData, output: string): ReportWriter {
  const links: (Priced & { readonly href: string })[] = [];
  let trimmed = 0;
  return {
    onTimeline: async (replayed, session, timeline) => {
      const href = `sessions/${session + 1}.html`;
      const page = reportPage(
        { ...data, sessions: [shownSession(replayed, session, data)], uncondensed: 0, index: '../index.html' },
        [{ session: 0, timeline: shownTimeline(await timeline(), data) }],
        await pageAssets(),
      );
      trimmed += page.trimmed;
      await writeText(resolve(output, href), page.html);
      links.push({ session, replayed, href, cost: costOf(replayed) });
    },
    finish: async (sessions, uncondensed) => {
      // After an interrupt a position among the sessions is no longer the one at which a session was replayed.
      const ended = links.filter(({ replayed }) => sessions.includes(replayed)).sort(byCost);
      const timelines = ended.map(({ replayed, href }): TimelineLink => ({
        session: sessions.indexOf(replayed),
        href,
      }));
      const number = new Map(ended.map(({ replayed, session }) => [replayed, session]));
      const shown = sessions.map((session, index) => shownSession(session, number.get(session) ?? index, data));
      const html = pageHtml({ ...data, sessions: shown, uncondensed, timelines, trimmed }, [], await pageAssets());
      const file = await writeText(resolve(output, 'index.html'), html);
      return { file, size: Buffer.byteLength(html), timelines: timelines.length - trimmed, trimmed };
    },
  };
}

function costOf({ replays }: ReplayedSession): number {
  return replays[0]?.bills[0]?.input ?? 0;
}

/** Compares by cost, the dearest first, and then by the order of the sessions. */
function byCost(one: Priced, other: Priced): number {
  return other.cost - one.cost || one.session - other.session;
}

function shownSession(session: ReplayedSession, index: number, { redacted }: ReportData): ReplayedSession {
  const shown = withoutCalls(session);
  return redacted ? redactedSession(shown, index) : shown;
}

function shownTimeline(timeline: string, { redacted }: ReportData): string {
  return redacted ? JSON.stringify(redactedTimeline(JSON.parse(timeline) as SessionTimeline)) : timeline;
}

/** Reads the script and the style of a page, which the build makes. @param folder - in `dist` */
export async function pageAssets(folder = 'page'): Promise<PageAssets> {
  const read = (name: string): Promise<string> => readFile(ownFile(`dist/${folder}/${name}`), 'utf8');
  const [script, style] = await Promise.all([read('page.js'), read('page.css')]);
  return { script, style };
}

/** Writes a file and its folder, and returns it. @throws {@link HarnessError} `page-not-written` */
export async function writeText(file: string, text: string): Promise<string> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (cause) {
    const message = `Cannot write '${file}': ${messageOf(cause)}. Name another place with --output.`;
    throw new HarnessError('page-not-written', message, { file, cause });
  }
  return file;
}
