import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { npmInstall, npmPack, npx } from './pack.js';
import { readManifest } from '../workspace.js';

const ours = 'It was put together from the log by rule';
const another = 'Another version of this package put it together';

let root: string;
let project: string;

/** Installs as `npm install palimpsest @palimpsest/condensers@0.1.1` does, where 0.1.1 writes other words into a summary. */
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'swapped-layer-'));
  project = path.join(root, 'project');
  const files = new Map(inject('tarballs'));
  const direct = { palimpsest: files.get('palimpsest') ?? '', '@palimpsest/condensers': await anotherVersion() };
  const others = [...files].filter(([name]) => !(name in direct));
  const asFiles = (entries: readonly (readonly [string, string])[]) =>
    Object.fromEntries(entries.map(([name, file]) => [name, `file:${file}`]));
  const manifest = { name: 'consumer', dependencies: asFiles(Object.entries(direct)), overrides: asFiles(others) };
  await mkdir(project);
  await writeFile(path.join(project, 'package.json'), JSON.stringify(manifest));
  await npmInstall(project, ['--legacy-peer-deps']);
});

afterAll(() => rm(root, { recursive: true, force: true }));

/** Returns the tarball of a later version of our condensers. */
async function anotherVersion(): Promise<string> {
  const copy = path.join(root, 'condensers');
  await cp(path.join(inject('everything'), 'node_modules/@palimpsest/condensers'), copy, { recursive: true });
  for (const file of await readdir(path.join(copy, 'dist'), { recursive: true })) {
    if (!/\.c?js$/.test(file)) continue;
    const text = await readFile(path.join(copy, 'dist', file), 'utf8');
    if (text.includes(ours)) await writeFile(path.join(copy, 'dist', file), text.replaceAll(ours, another));
  }
  await writeFile(path.join(copy, 'package.json'), JSON.stringify({ ...readManifest(copy), version: '0.1.1' }));
  const [tarball] = (await npmPack([copy], root)).values();
  return tarball ?? '';
}

it('npm swaps a layer of the packed reference agent', async () => {
  await npx(project, ['palimpsest', 'demo', '--log-dir', 'logs'], { home: root });

  const [log = ''] = await readdir(path.join(project, 'logs'));
  const events = await readFile(path.join(project, 'logs', log), 'utf8');
  expect(events).toContain(another);
  expect(events).not.toContain(ours);
});
