import { readFile } from 'node:fs/promises';
import { ownFile } from '../own-package.js';
import type { PageAssets } from './page-html.js';

/** Reads the script and the style of the page, which the build makes. */
export async function pageAssets(): Promise<PageAssets> {
  const [script, style] = await Promise.all(['page.js', 'page.css'].map(readAsset));
  return { script: script ?? '', style: style ?? '' };
}

function readAsset(name: string): Promise<string> {
  return readFile(ownFile(`dist/page/${name}`), 'utf8');
}
