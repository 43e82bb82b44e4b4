import { copyFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { linePrinter, printableText } from '@palimpsest/terminal';
import { HarnessError, messageOf } from '../harness-error.js';
import { ownFile } from '../own-package.js';

/** Options of `palimpsest-harness page`, as the command line gives them. */
export interface PageCommandOptions {
  /** The file to write. */
  readonly output: string;
}

/**
 * Writes the page on which logs are dropped and replayed, and prints where it is.
 *
 * @throws {@link HarnessError} `page-not-written` when the page cannot be written
 */
export async function pageCommand({ output }: PageCommandOptions): Promise<void> {
  const file = resolve(output);
  try {
    await copyFile(ownFile('dist/replay-page/replay.html'), file);
  } catch (cause) {
    const message = `Cannot write '${file}': ${messageOf(cause)}. Name another place with --output.`;
    throw new HarnessError('page-not-written', message, { file, cause });
  }
  const text = `Open it in a browser, and drop your logs on it; nothing leaves the page: ${pathToFileURL(file).href}`;
  await linePrinter(process.stdout)(printableText(text));
}
