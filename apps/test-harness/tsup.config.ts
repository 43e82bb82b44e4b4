import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { defineConfig } from 'tsup';
import type { Options } from 'tsup';
import { thirdPartyNotices } from '../../third-party-notices.base.ts';
import { application } from '../../tsup.base.ts';
import { buildReplayPage } from './src/page/replay-page.ts';
import { codingSession } from './test-support/demo-sessions.ts';

const require = createRequire(import.meta.url);

/** Begins a bundle with the licences of the modules of others in it. */
function licencesOf(...modules: readonly string[]): { readonly js: string } {
  const texts = modules.map((name) => {
    let folder = path.dirname(require.resolve(name));
    while (!existsSync(path.join(folder, 'LICENSE'))) folder = path.dirname(folder);
    return `${name}\n${readFileSync(path.join(folder, 'LICENSE'), 'utf8')}`;
  });
  return { js: `/*!\n${texts.join('\n')}*/` };
}

/** What a browser runs. */
const inBrowser: Options = {
  outExtension: () => ({ js: '.js' }),
  format: ['iife'],
  platform: 'browser',
  target: 'es2022',
  tsconfig: 'tsconfig.page.json',
  noExternal: [/./],
  minify: true,
  sourcemap: false,
  clean: true,
  esbuildPlugins: [thirdPartyNotices],
};

/** What the page shows at first, and `report` where no session is: a long session that a program made, and a short one of our agent. */
const sample = [
  { name: 'long-session.jsonl', text: linesOf(codingSession(150, 2).filter(({ type }) => type !== 'llm-usage')) },
  { name: 'demo.jsonl', text: readFileSync('../../corpus/demo-default.jsonl', 'utf8') },
];

function linesOf(events: readonly unknown[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

export default defineConfig([
  {
    ...application,
    // Worker threads load a file of their own.
    entry: { cli: 'src/cli/cli.ts', worker: 'src/cli/worker.ts' },
    clean: ['!page', '!compare-page', '!replay-page'],
    // What `report` shows where no session is.
    onSuccess: async () => {
      await mkdir('dist/sample', { recursive: true });
      for (const { name, text } of sample) await writeFile(`dist/sample/${name}`, text);
    },
    // It is not published. What it imports is a dependency of this program.
    noExternal: ['@palimpsest/terminal'],
  },
  // What a report's page runs, with its chart library and that library's licence.
  { ...inBrowser, entry: { page: 'src/page/browser/main.ts' }, outDir: 'dist/page', banner: licencesOf('uplot') },
  // What the page of a comparison runs.
  { ...inBrowser, entry: { page: 'src/page/compare/main.ts' }, outDir: 'dist/compare-page' },
  // The page that replays, and the program of its thread. Both stand in one file in the end.
  {
    ...inBrowser,
    entry: { page: 'src/page/replay/main.ts', program: 'src/page/replay/worker.ts' },
    outDir: 'dist/replay-page',
    banner: licencesOf('uplot', 'gpt-tokenizer', 'zod', '@noble/hashes/sha2', '@huggingface/jinja', 'smol-toml'),
    esbuildOptions: (options) => {
      // Half of the vocabulary is beyond ASCII.
      options.charset = 'utf8';
      // What a package imports for nothing is left out, as it should be.
      options.logOverride = { 'ignored-bare-import': 'silent' };
    },
    onSuccess: () => buildReplayPage('dist/replay-page', sample),
  },
]);
