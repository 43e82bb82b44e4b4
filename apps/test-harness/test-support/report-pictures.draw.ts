import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSessions } from '../src/import/index.js';
import { modelCalls } from '../src/import/log/model-calls.js';
import { openFile, startBrowser } from './browser.js';
import type { Look } from './browser.js';
import { builtHarness } from './harness.js';

/** Draws the pictures of docs/report.md: `npm run pictures`. The pages are those of the built command, in the browser of the machine. */

const docs = fileURLToPath(new URL('../docs/', import.meta.url));
const viewport = { width: 1100, height: 1000 };
const recorded = process.env['PALIMPSEST_TRAJECTORIES'] ?? '';
/** A session of as many model calls is long: docs/results.md speaks of these. */
const long = 150;

let folder: string;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'report-pictures-'));
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

/** Writes a report on these logs, or on the sample if there are none. Returns the address of the page. */
async function report(logs: readonly string[]): Promise<string> {
  const page = join(folder, `${logs.length}.html`);
  const args = [...(logs.length > 0 ? ['report', ...logs] : []), '--no-open', '-o', page];
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') };
  const { code, stderr } = await builtHarness(args, { env, cwd: folder });
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return pathToFileURL(page).href;
}

/** The recorded sessions of the table in the README; without the folder of recordings there are none. */
async function longSessions(): Promise<readonly string[]> {
  const files = new Set<string>();
  for await (const { file, events } of readSessions(recorded)) if (modelCalls(events).length >= long) files.add(file);
  return [...files];
}

/** Without recorded sessions the pictures of them stay as they are. */
test.skipIf(recorded === '')('what recorded sessions cost', async () => {
  const address = await report(await longSessions());
  const page = await browser.newPage();
  const draw = async (name: string, look: Look): Promise<void> => {
    await openFile(page, address, { viewport, ...look });
    await page.screenshot({ path: join(docs, name) });
  };
  await draw('report-light.png', { colorScheme: 'light' });
  await draw('report-dark.png', { colorScheme: 'dark' });
});

test('a session, call by call', async () => {
  const page = await browser.newPage();
  await openFile(page, await report([]), { viewport, colorScheme: 'light' });
  await page.getByRole('link', { name: 'long-session.jsonl' }).click();
  await page.getByRole('region', { name: 'What the model reads at this call' }).focus();
  // A session opens after its first condensation.
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await page.locator('.session').evaluate((session) => {
    (document.activeElement as HTMLElement).blur();
    window.scrollTo(0, session.getBoundingClientRect().top + window.scrollY - 185);
  });
  await page.screenshot({ path: join(docs, 'report-session.png') });
});
