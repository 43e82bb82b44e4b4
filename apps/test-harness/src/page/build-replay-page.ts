import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replayPage } from './replay-page.js';
import type { SampleLog } from './replay-page.js';

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
