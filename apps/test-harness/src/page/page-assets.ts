import { readFile } from 'node:fs/promises';
import type { PageAssets } from './page-html.js';

/** Reads the script and the style of the page, which the build puts beside the command. */
export async function pageAssets(): Promise<PageAssets> {
  const [script, style] = await Promise.all(['page.js', 'page.css'].map(readAsset));
  return { script: script ?? '', style: style ?? '' };
}

function readAsset(name: string): Promise<string> {
  return readFile(new URL(`./page/${name}`, import.meta.url), 'utf8');
}
