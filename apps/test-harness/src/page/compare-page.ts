import { resolve } from 'node:path';
import { dataElement, htmlPage } from './html.js';
import type { ComparisonData } from './comparison-data.js';
import { pageAssets, writeText } from './write-page.js';

/**
 * Writes the page of a comparison. Returns the file.
 *
 * @throws {@link HarnessError} `page-not-written` when it cannot be written
 */
export async function writeComparisonPage(data: ComparisonData, output: string): Promise<string> {
  const html = htmlPage({
    title: 'Live runs compared · Palimpsest',
    ...(await pageAssets('compare-page')),
    before: [dataElement('comparison', JSON.stringify(data))],
  });
  return writeText(resolve(output), html);
}
