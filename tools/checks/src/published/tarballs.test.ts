import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { installedPackages } from './pack.js';
import { filesOf, noticesIn, reachable } from './tarball-files.js';
import { apps, publishedPackages, publishedPlugins, readManifest, workspaceRoot } from '../workspace.js';

const modules = path.join(inject('everything'), 'node_modules');
const published = [...publishedPackages, ...apps, ...publishedPlugins].map((each) => ({
  ...each,
  name: each.manifest.name,
  unpacked: path.join(modules, each.manifest.name),
}));
const tracked = new Set(execFileSync('git', ['ls-files'], { cwd: workspaceRoot, encoding: 'utf8' }).split('\n'));

/** Built, and read by path at run time. */
const readByPath: Readonly<Record<string, readonly RegExp[]>> = {
  '@palimpsest/tools': [/^dist\/search-worker\.mjs$/],
  palimpsest: [/^dist\/third-party-notices\.txt$/],
  '@palimpsest/opencode': [/^dist\/third-party-notices\.txt$/],
  '@palimpsest/pi': [/^dist\/third-party-notices\.txt$/],
  'palimpsest-gateway': [/^dist\/worker\.js$/],
  'palimpsest-harness': [
    /^dist\/(page|compare-page|replay-page)\/third-party-notices\.txt$/,
    /^dist\/(page|compare-page)\/page\.(css|js)$/,
    /^dist\/replay-page\/replay\.html$/,
    /^dist\/sample\/[\w-]+\.jsonl$/,
    /^dist\/worker\.js$/,
  ],
};

/** They ask for their notice at most, of a program that contains or depends on them. */
const allowedLicenses = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
];

describe.each(published)('the tarball of $name', ({ name, directory, unpacked, manifest }) => {
  const files = filesOf(unpacked);
  const isCode = (file: string): boolean => /\.[cm]?js$/.test(file) && file.startsWith('dist/');

  it('holds what its entries reach and what the repository tracks, and nothing else', () => {
    const fromEntries = reachable(unpacked, manifest);
    const folder = path.relative(workspaceRoot, directory).replaceAll(path.sep, '/');
    const isKnown = (file: string): boolean =>
      fromEntries.has(file) ||
      tracked.has(`${folder}/${file}`) ||
      (readByPath[name] ?? []).some((form) => form.test(file));

    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    expect(files.filter((file) => !isKnown(file))).toEqual([]);
  });

  it('has a notice for each package whose code is in it', () => {
    const notices = files.filter((file) => file.endsWith('third-party-notices.txt'));
    // What is not minified says where each part comes from.
    const inside = files.filter(isCode).flatMap((file) => {
      const text = readFileSync(path.join(unpacked, file), 'utf8');
      return [...text.matchAll(/^\/\/ (?:\.\.\/)+node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm)].map(
        ([, each = '']) => each,
      );
    });
    const named = notices.flatMap((file) => noticesIn(readFileSync(path.join(unpacked, file), 'utf8')));

    // The gateway's files hold no code of others.
    const bundles = [...apps, ...publishedPlugins].filter(({ shortName }) => shortName !== 'gateway');
    expect(notices.length > 0).toBe(bundles.some(({ manifest: bundle }) => bundle.name === name));
    expect([...new Set(inside)].filter((each) => !named.some((notice) => notice.name === each))).toEqual([]);
    expect(named.filter(({ text }) => text.length < 200).map((each) => each.name)).toEqual([]);
    expect(named.filter(({ license }) => !allowedLicenses.includes(license))).toEqual([]);
  });

  it('resolves every relative link of its pages', () => {
    // A template is read where it is written to.
    const pages = files.filter((file) => file.endsWith('.md') && !/^(?:template|sample-project)\//.test(file));
    const broken = pages.flatMap((page) => {
      const text = readFileSync(path.join(unpacked, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
      return [...text.matchAll(/\]\((?!https?:|#)([^)\s#]+)/g)]
        .map(([, link = '']) => path.posix.join(path.posix.dirname(page), link).replace(/\/$/, ''))
        .filter((target) => !files.some((file) => file === target || file.startsWith(`${target}/`)))
        .map((target) => `${page}: ${target}`);
    });

    expect(broken).toEqual([]);
  });
});

it('the bundles that are minified have notices of what the build knows to be in them', () => {
  const named = (name: string, file: string): readonly string[] =>
    noticesIn(readFileSync(path.join(modules, name, 'dist', file), 'utf8')).map((each) => each.name);

  expect(named('palimpsest', 'third-party-notices.txt')).toEqual(
    expect.arrayContaining(['@mariozechner/pi-tui', 'commander', 'env-paths']),
  );
  expect(named('palimpsest-harness', 'page/third-party-notices.txt')).toEqual(['uplot']);
  const page = readFileSync(path.join(modules, 'palimpsest-harness/dist/replay-page/replay.html'), 'utf8');
  // The page is saved and sent to others without the file.
  expect(page).toContain('uplot');
});

it('everything that npm installs with our packages has a licence of the list', async () => {
  const names = await installedPackages(modules);
  const licenses = names.map((name) => {
    const { license } = readManifest(path.join(modules, name)) as unknown as { readonly license?: string };
    return { name, license };
  });

  expect(names.length).toBeGreaterThan(60);
  expect(licenses.filter(({ license = '' }) => !allowedLicenses.includes(license))).toEqual([]);
});
