import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine; tests that need one skip where there is none. `PALIMPSEST_CHROMIUM` names another. */
export const chromiumPath: string | undefined = [process.env['PALIMPSEST_CHROMIUM'] ?? '', ...places].find(existsSync);

/** Starts the browser. It fetches nothing by itself. */
export function startBrowser(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('there is no browser on this machine');
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--no-first-run',
  ];
  return chromium.launch({ executablePath: chromiumPath, args, timeout: 0 });
}
