import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { typeProblems } from './native-types.js';
import { node, npmInstall } from './pack.js';
import { workspaceRoot } from '../workspace.js';

const source = path.join(workspaceRoot, 'packages/condensers/src');
/** Folders that are no condenser. */
const shared = ['authoring', 'config', 'node'];
const entries = await readdir(source, { withFileTypes: true });
const folders = entries.filter((entry) => entry.isDirectory() && !shared.includes(entry.name)).map(({ name }) => name);

/** All that a condenser may import, besides its own folder. */
const allowed = [
  '@palimpsest/condensers',
  '@palimpsest/condensers/authoring',
  '@palimpsest/events',
  '@palimpsest/llm-adapters',
  '@palimpsest/view',
  'zod',
  'zod/mini',
];
const importPath = /(?<=\bfrom ')[^']+(?=')/g;

let project: string;
let compiled: readonly string[];
let results: string;

/** Copies each condenser of ours into a package outside of the workspace. Nothing but the paths of its imports changes. */
beforeAll(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'copied-condensers-'));
  for (const folder of folders) await copyCondenser(folder);
  const tarballs = new Map(inject('tarballs'));
  const files = Object.fromEntries([...tarballs].map(([name, file]) => [name, `file:${file}`]));
  const direct = [
    '@palimpsest/condensers',
    '@palimpsest/events',
    '@palimpsest/llm-adapters',
    '@palimpsest/view',
    'zod',
  ];
  const manifest = {
    name: '@acme/condensers',
    private: true,
    type: 'module',
    dependencies: Object.fromEntries(direct.map((name) => [name, files[name]])),
    overrides: Object.fromEntries(Object.entries(files).filter(([name]) => !direct.includes(name))),
  };
  await writeFile(path.join(project, 'package.json'), JSON.stringify(manifest));
  await npmInstall(project);
  const compilerOptions = {
    rootDir: 'src',
    outDir: 'dist',
    target: 'ES2022',
    lib: ['ES2024', 'DOM'],
    module: 'NodeNext',
    strict: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: false,
    skipLibCheck: true,
    types: [],
  };
  compiled = await typeProblems(project, { compilerOptions, include: ['src'] });
  const contract = 'copied-condensers.test.mjs';
  await cp(path.join(import.meta.dirname, '../../fixtures', contract), path.join(project, contract));
  results = await node(project, ['--test', '--test-reporter=tap', contract]).catch(String);
});

afterAll(() => rm(project, { recursive: true, force: true }));

async function copyCondenser(folder: string): Promise<void> {
  const from = path.join(source, folder);
  for (const file of await readdir(from, { recursive: true })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const text = await readFile(path.join(from, file), 'utf8');
    const to = path.join(project, 'src', folder, file);
    await mkdir(path.dirname(to), { recursive: true });
    await writeFile(
      to,
      text.replaceAll(importPath, (name) => {
        if (/^(\.\.\/)+authoring\//.test(name)) return '@palimpsest/condensers/authoring';
        // A condenser that is made of another one of ours.
        return folders.some((other) => other !== folder && name.startsWith(`../${other}/`))
          ? '@palimpsest/condensers'
          : name;
      }),
    );
  }
}

it('finds the condensers', () => {
  expect(folders.length).toBeGreaterThanOrEqual(13);
});

describe.each(folders)('%s, copied into a package outside of the workspace,', (folder) => {
  it('imports what the published packages export, and its own files', async () => {
    const inside = path.join(project, 'src', folder);
    const outside: string[] = [];
    for (const file of await readdir(inside, { recursive: true })) {
      if (!file.endsWith('.ts')) continue;
      const text = await readFile(path.join(inside, file), 'utf8');
      for (const [name] of text.matchAll(importPath)) {
        const isOwn = name.startsWith('.') && path.join(inside, path.dirname(file), name).startsWith(inside + path.sep);
        if (!isOwn && !allowed.includes(name)) outside.push(`${file}: ${name}`);
      }
    }

    expect(outside).toEqual([]);
  });

  it('compiles', () => {
    expect(compiled.filter((line) => line.startsWith(`src/${folder}/`))).toEqual([]);
  });

  it('passes its contract', () => {
    expect(results).toMatch(new RegExp(`^ok \\d+ - ${folder}$`, 'm'));
  });
});
