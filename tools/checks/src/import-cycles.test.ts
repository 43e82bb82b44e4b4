import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cyclesIn, folderGraphs, importGraph } from './import-cycles.js';
import { apps, packages, plugins, workspaceRoot } from './workspace.js';

const folders = [
  ...[...packages, ...apps, ...plugins].flatMap(({ directory }) =>
    ['src', 'test-support'].map((name) => path.join(directory, name)),
  ),
  path.join(workspaceRoot, 'tools/checks/src'),
  path.join(workspaceRoot, 'bench'),
].filter((folder) => existsSync(folder));

/** Nothing but a test imports a test, or examples. A sample plan holds sources of another project as text. */
const isLeftOut = (file: string): boolean => /node_modules|\.(?:test|test-d|examples)\.ts$|sample-plan/.test(file);

const files = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?ts$/.test(name) && !isLeftOut(name))
    .map((name) => path.relative(workspaceRoot, path.join(folder, name)).replaceAll(path.sep, '/')),
);
const graph = importGraph(new Map(files.map((file) => [file, readFileSync(path.join(workspaceRoot, file), 'utf8')])));
const inWords = (cycle: readonly string[]): string => cycle.join(' → ');

it('no files import each other, not for types either', () => {
  expect(graph.size).toBeGreaterThan(500);
  expect(cyclesIn(graph).map(inWords)).toEqual([]);
});

it('imports between the folders of a package go one way', () => {
  // An entry of a package is a list of names. It may name what stands in other folders, and is in no step of the data flow.
  const steps = new Map([...graph].filter(([file]) => !file.endsWith('/index.ts')));
  expect(folderGraphs(steps).flatMap(cyclesIn).map(inWords)).toEqual([]);
});

describe('what is found', () => {
  const cyclesOf = (sources: Readonly<Record<string, string>>): readonly (readonly string[])[] =>
    cyclesIn(importGraph(new Map(Object.entries(sources))));

  it.each([
    "import type { B } from './b.js';",
    "import { type B } from './b.js';",
    "export type { B } from './b.js';",
    "export const b = (): import('./b.js').B => 1;",
    "export const load = () => import('./b.js');",
    "import {\n  b,\n} from './b.js';",
    "import './b.js';",
  ])('a cycle through: %s', (line) => {
    const sources = {
      'src/index.ts': "export { a } from './a.js';",
      'src/a.ts': line,
      'src/b.ts': "import { c } from './folder/c.js';\nimport './folder/missing.js';",
      'src/folder/c.ts': "import type { A } from '../a.js';",
    };

    expect(cyclesOf(sources)).toEqual([['src/a.ts', 'src/b.ts', 'src/folder/c.ts', 'src/a.ts']]);
  });

  it('a file that imports itself, and no cycle where two ways lead to one file', () => {
    expect(cyclesOf({ 'a.ts': "import './a.js';" })).toEqual([['a.ts', 'a.ts']]);
    expect(
      cyclesOf({
        'a.ts': "import './b.js'; import './c.js';",
        'b.ts': "import './d.js';",
        'c.ts': "import './d.js';",
        'd.ts': '',
      }),
    ).toEqual([]);
  });

  it('folders whose files make no cycle and which import each other all the same', () => {
    const sources = {
      'src/index.ts': "import './fold/a.js';",
      'src/errors.ts': '',
      'src/fold/a.ts': "import '../render/deep/b.js'; import '../errors.js';",
      'src/render/deep/b.ts': "import './c.js'; import '../../errors.js';",
      'src/render/deep/c.ts': '',
      'src/render/d.ts': "import '../fold/e.js'; import './deep/c.js';",
      'src/fold/e.ts': '',
    };
    const graph = importGraph(new Map(Object.entries(sources)));

    expect(cyclesIn(graph)).toEqual([]);
    expect(folderGraphs(graph).flatMap(cyclesIn)).toEqual([['src/fold', 'src/render', 'src/fold']]);
  });
});
