import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { externalImports, isNodeBuiltin, packageOf } from './imports.js';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'imports-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function write(name: string, source: string): string {
  const file = path.join(directory, name);
  writeFileSync(file, source);
  return file;
}

it('follows relative imports and finds static imports, re-exports and import() behind them', () => {
  write('chunk.js', `export { a } from 'zod';\nexport const load = () => import('openai');\n`);
  const entry = write('index.js', `import './chunk.js';\nimport fs from 'node:fs';\n`);

  expect([...externalImports(entry)].sort()).toEqual(['node:fs', 'openai', 'zod']);
});

it('finds require in CommonJS', () => {
  write('chunk.cjs', `const path = require('path');\n`);
  const entry = write('index.cjs', `require('./chunk.cjs');\n`);

  expect([...externalImports(entry)]).toEqual(['path']);
});

it('finds an import behind a regular expression with a quotation mark in it', () => {
  const entry = write('index.js', "const isPattern = (text) => /[*?`]/.test(text);\nimport { a } from 'zod';\n");

  expect([...externalImports(entry)]).toEqual(['zod']);
});

it('follows declaration files and finds the imports of types', () => {
  write('chunk.d.ts', `export type A = import('openai').OpenAI;\n`);
  const entry = write('index.d.ts', `import type { A } from './chunk.js';\nexport type { A };\n`);

  expect([...externalImports(entry)]).toEqual(['openai']);
});

it('tells built-in modules and package names', () => {
  expect(['node:fs', 'fs', 'fs/promises', 'zod'].map(isNodeBuiltin)).toEqual([true, true, true, false]);
  expect(['zod/v4', '@palimpsest/events/file'].map(packageOf)).toEqual(['zod', '@palimpsest/events']);
});
