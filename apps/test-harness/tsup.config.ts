import { readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { defineConfig } from 'tsup';
import { application } from '../../tsup.base.ts';

const licenceOfCharts = readFileSync(createRequire(import.meta.url).resolve('uplot/LICENSE'), 'utf8');

export default defineConfig([
  {
    ...application,
    // Worker threads load a file of their own.
    entry: { cli: 'src/cli/cli.ts', worker: 'src/cli/worker.ts' },
    clean: ['!page'],
    // What `report` shows where no session is: the log of the reference agent's demo, and what it condensed with.
    onSuccess: async () => {
      await cp('../../corpus/demo-default.jsonl', 'dist/sample/demo.jsonl');
      await cp('../reference-agent/demo.toml', 'dist/sample/priced.toml');
    },
    // It is not published. What it imports is a dependency of this program.
    noExternal: ['@palimpsest/terminal'],
  },
  // What a report's page runs, with its chart library and that library's licence.
  {
    entry: { page: 'src/page/browser/main.ts' },
    outDir: 'dist/page',
    outExtension: () => ({ js: '.js' }),
    format: ['iife'],
    platform: 'browser',
    target: 'es2022',
    tsconfig: 'tsconfig.page.json',
    noExternal: [/./],
    minify: true,
    sourcemap: false,
    clean: true,
    banner: { js: `/*!\nuPlot\n${licenceOfCharts}*/` },
  },
]);
