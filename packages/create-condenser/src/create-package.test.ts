import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { condenserNames, condenserPackageFiles, createCondenserPackage } from './create-package.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'create-condenser-'));
});
afterEach(() => rm(root, { recursive: true }));

test('a package has its code, both tests, README, changeset and settings', async () => {
  const { directory, files } = await createCondenserPackage('@acme/keep-newest', { directory: path.join(root, 'new') });

  expect(files).toEqual([
    '.changeset/config.json',
    '.changeset/first-release.md',
    '.gitignore',
    'README.md',
    'package.json',
    'src/index.test.ts',
    'src/index.ts',
    'test/contract.test.mjs',
    'tsconfig.build.json',
    'tsconfig.json',
  ]);
  expect((await readdir(directory, { recursive: true })).length).toBeGreaterThanOrEqual(files.length);
});

test('nothing of the template is left over, and the versions are those of the packages beside it', async () => {
  const files = await condenserPackageFiles('@acme/keep-newest');
  for (const [file, text] of files) expect(text, file).not.toMatch(/\{\{|\}\}|undefined/);
  const { name, keywords, peerDependencies, dependencies } = JSON.parse(files.get('package.json') ?? '') as {
    name: string;
    keywords: string[];
    peerDependencies: Record<string, string>;
    dependencies: Record<string, string>;
  };
  const version = async (sibling: string) => {
    const manifest = new URL(`../../${sibling}/package.json`, import.meta.url);
    const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
    return `>=${version} <${Number.parseInt(version) + 1}`;
  };

  expect(name).toBe('@acme/keep-newest');
  expect(keywords).toContain('palimpsest-condenser');
  expect(peerDependencies).toEqual({
    '@palimpsest/condensers': await version('condensers'),
    '@palimpsest/events': await version('events'),
    '@palimpsest/view': await version('view'),
  });
  expect(dependencies).toEqual({ zod: '^4.6.7' });
});

test('the condenser has at most 30 lines', async () => {
  const source = (await condenserPackageFiles('keep-newest')).get('src/index.ts') ?? '';

  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
});

test('a folder that holds something is left alone', async () => {
  await writeFile(path.join(root, 'mine.txt'), 'mine');

  await expect(createCondenserPackage('keep-newest', { directory: root })).rejects.toThrow(/is not empty: .*mine\.txt/);
  expect(await readdir(root)).toEqual(['mine.txt']);
});

test('a name that npm refuses writes nothing', async () => {
  await expect(createCondenserPackage('../escape', { directory: root })).rejects.toThrow(RangeError);
  expect(await readdir(root)).toEqual([]);
});

test.each([
  ['keep-newest', 'keep-newest', 'keepNewest'],
  ['condenser-keep-newest', 'condenser-keep-newest', 'keepNewest'],
  ['@acme/condenser-x', 'condenser-x', 'x'],
  ['@acme/keep.the_newest-2', 'keep.the_newest-2', 'keepTheNewest2'],
  ['condenser', 'condenser', 'condenser'],
])('%s lies in %s and names its condenser %s', (packageName, folder, condenserName) => {
  expect(condenserNames(packageName)).toEqual({ packageName, folder, condenserName });
});

test.each(['', 'Keep', '../x', 'a/b', '@a/b/c', '.hidden', 'x y', 'a'.repeat(215), '$(touch x)'])(
  '%j is refused',
  (name) => {
    expect(() => condenserNames(name)).toThrow(/is not a valid name of an npm package/);
  },
);

test.each(['2-late', '---'])('%j gives no identifier', (name) => {
  expect(() => condenserNames(name)).toThrow(/no name for the condenser/);
});
