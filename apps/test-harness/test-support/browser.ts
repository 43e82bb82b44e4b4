import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine; tests that need one skip where there is none. `PALIMPSEST_CHROMIUM` names another. */
export const chromiumPath: string | undefined = [process.env['PALIMPSEST_CHROMIUM'] ?? '', ...places].find(existsSync);

const offline = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Starts the browser. It has no limits of time of its own: those of the tests stop what hangs. */
export function startBrowser(options: readonly string[] = []): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('there is no browser on this machine');
  return chromium.launch({ executablePath: chromiumPath, args: [...offline, ...options], timeout: 0 });
}

/** A page and what it did that it should not: messages on the console, errors, requests. */
export interface WatchedPage {
  readonly page: Page;
  readonly problems: readonly string[];
}

/** How a page is looked at. */
export interface Look {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'dark' | 'light';
}

/**
 * Opens a file and watches it. In a page that showed another one before: a page of its own starts a process, which takes longer than
 * a test. Nothing of what was shown before is left.
 */
export async function openFile(page: Page, url: string, look: Look = {}): Promise<WatchedPage> {
  await page.goto('about:blank');
  await page.setViewportSize(look.viewport ?? { width: 1280, height: 720 });
  await page.emulateMedia({ media: null, colorScheme: look.colorScheme ?? null });
  for (const event of ['console', 'pageerror', 'request'] as const) page.removeAllListeners(event);
  page.setDefaultTimeout(0);
  const problems: string[] = [];
  page.on('console', (message) => problems.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('request', (request) => {
    // A thread that the page makes from memory is no request.
    if (request.url().startsWith('blob:')) return;
    if (request.url().split('#')[0] !== url.split('#')[0]) problems.push(`request: ${request.url().slice(0, 200)}`);
  });
  await page.goto(url);
  await page.waitForSelector('footer');
  return { page, problems };
}
