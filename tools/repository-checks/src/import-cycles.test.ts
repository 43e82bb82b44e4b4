import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { importCycles } from './import-cycles.js';
import { apps, packages, workspaceRoot } from './workspace.js';

const folders = [
  ...[...packages, ...apps].flatMap(({ directory }) =>
    ['src', 'test-support'].map((name) => path.join(directory, name)),
  ),
  path.join(workspaceRoot, 'tools/repository-checks/src'),
  path.join(workspaceRoot, 'bench'),
].filter((folder) => existsSync(folder));

const files = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?ts$/.test(name) && !name.includes('node_modules'))
    .map((name) => path.relative(workspaceRoot, path.join(folder, name))),
);

it('no files import each other, not for types either', () => {
  const sources = new Map(files.map((file) => [file, readFileSync(path.join(workspaceRoot, file), 'utf8')]));
  expect(sources.size).toBeGreaterThan(500);
  expect(importCycles(sources).map((cycle) => cycle.join(' → '))).toEqual([]);
});

it.each([
  "import type { B } from './b.js';",
  "import { type B } from './b.js';",
  "export type { B } from './b.js';",
  "export const b = (): import('./b.js').B => 1;",
  "export const load = () => import('./b.js');",
])('finds a cycle through: %s', (line) => {
  const sources = new Map([
    ['src/index.ts', "export { a } from './a.js';"],
    ['src/a.ts', line],
    ['src/b.ts', "import { c } from './folder/c.js';\nimport './folder/missing.js';"],
    ['src/folder/c.ts', "import type { A } from '../a.js';"],
  ]);

  expect(importCycles(sources)).toEqual([['src/a.ts', 'src/b.ts', 'src/folder/c.ts', 'src/a.ts']]);
});

it('finds a file that imports itself, and no cycle where two ways lead to one file', () => {
  expect(importCycles(new Map([['a.ts', "import './a.js';"]]))).toEqual([['a.ts', 'a.ts']]);
  const diamond = new Map([
    ['a.ts', "import './b.js'; import './c.js';"],
    ['b.ts', "import './d.js';"],
    ['c.ts', "import './d.js';"],
    ['d.ts', ''],
  ]);
  expect(importCycles(diamond)).toEqual([]);
});
