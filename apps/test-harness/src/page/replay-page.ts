import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { namedPolicy, replayOfSession, sessionsOfText } from '../replay/replay-text.js';
import { none, reportCondensers } from '../replay/named-policy.js';
import { tokenUnit } from '../replay/report.js';
import type { ReplayedSession } from '../replay/replayed-session.js';
import { dataElement, htmlPage } from './html.js';
import type { PageAssets } from './html.js';
import type { PageData } from './page-data.js';
import { withoutCalls } from './page.js';
import { pricedAs, sessionPrices } from './priced-as.js';

/** A log that the page shows before a person gives one. */
export interface SampleLog {
  readonly name: string;
  readonly text: string;
}

/** The parts of the page that replays in a browser. */
export interface ReplayPageParts extends PageAssets {
  /** What the page's thread runs, with its tokenizer. */
  readonly program: string;
  /** One session each. */
  readonly sample: readonly SampleLog[];
  /** The version of the harness. */
  readonly harness: string;
}

/** Puts the bundles of a folder into one page, `replay.html`. The build runs it in the package's folder. */
export async function buildReplayPage(folder: string, sample: readonly SampleLog[]): Promise<void> {
  const read = (file: string): Promise<string> => readFile(file, 'utf8');
  const [script = '', style = '', program = ''] = await Promise.all(
    ['page.js', 'page.css', 'program.js'].map((name) => read(join(folder, name))),
  );
  const { version } = JSON.parse(await read('package.json')) as { readonly version: string };
  await writeFile(join(folder, 'replay.html'), await replayPage({ script, style, program, sample, harness: version }));
  for (const name of ['page.js', 'page.css', 'program.js']) await rm(join(folder, name));
}

/**
 * Returns the page that replays logs in a browser, as HTML. It shows the result of the sample at once. What is large stands compressed at
 * its end: the program of its thread, and the texts of the sample. The policy allows that thread, which is made from memory, and no
 * connection.
 */
async function replayPage({ script, style, program, sample, harness }: ReplayPageParts): Promise<string> {
  const result = await sampleResult(sample, harness);
  return htmlPage({
    title: 'Replay your agent’s sessions · Palimpsest',
    script,
    style,
    before: [dataElement('sample-result', JSON.stringify(result))],
    after: [packed('sample', JSON.stringify(sample.map(({ text }) => text))), packed('program', program)],
    allowed: ['worker-src blob:'],
  });
}

/** Makes an element that holds a text as base64 of gzip, which no browser runs. */
function packed(id: string, text: string): string {
  return `<script type="text/plain" id="${id}">${gzipSync(text, { level: 9 }).toString('base64')}</script>`;
}

async function sampleResult(sample: readonly SampleLog[], harness: string): Promise<PageData> {
  const read = await Promise.all(
    sample.map(({ name, text }) =>
      sessionsOfText({
        file: name,
        blocks: async function* () {
          yield text;
        },
      }),
    ),
  );
  const sessions = read.flatMap((each) => each.sessions);
  const today = new Date();
  const priced = pricedAs(undefined, new Map(), today);
  const own = sessionPrices(new Map(), priced, today);
  const policies = [none.name, ...reportCondensers].map(namedPolicy);
  const replayed: ReplayedSession[] = [];
  for (const session of sessions)
    replayed.push((await replayOfSession(session, { policies, prices: [], priced: own })).replayed);
  return {
    harness,
    createdAt: today.toISOString(),
    tokenUnit,
    redacted: false,
    prices: [own.prices],
    priced,
    older: 0,
    uncondensed: 0,
    skipped: [],
    skippedFiles: 0,
    sessions: replayed.map(withoutCalls),
    timelines: [],
    trimmed: 0,
  };
}
