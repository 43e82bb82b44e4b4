import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { apps, publishedPackages, readManifest, workspaceRoot } from './workspace.js';

const published = [...publishedPackages, ...apps];

describe.each(published.map((each) => [each.manifest.name, each] as const))('%s', (name, { directory, manifest }) => {
  const folder = path.relative(workspaceRoot, directory).replaceAll(path.sep, '/');

  it('says where it comes from and what it is about', () => {
    expect(manifest.repository).toMatchObject({ type: 'git', directory: folder });
    expect(manifest.homepage).toContain(folder);
    expect(manifest.keywords).toContain('palimpsest');
    expect(new Set(manifest.keywords).size).toBe(manifest.keywords?.length);
  });

  it('is built before it is packed', () => {
    expect(manifest.scripts?.['prepack']).toBe('npm run build');
  });

  it('has a README whose links lead somewhere, on a package page too', () => {
    const readme = readFileSync(path.join(directory, 'README.md'), 'utf8');
    const targets = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '');
    // A package page resolves relative links against `repository.directory`.
    const broken = targets.filter((target) => !isAddress(target) && !existsSync(path.join(directory, fileOf(target))));

    expect(broken, name).toEqual([]);
  });
});

it('the checks depend on all that they check, so that it is built before them', () => {
  const { devDependencies = {} } = readManifest(path.join(workspaceRoot, 'tools/repository-checks'));

  expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(published.map(({ manifest }) => manifest.name)));
});

function isAddress(target: string): boolean {
  return /^https?:/.test(target) || target.startsWith('#');
}

function fileOf(target: string): string {
  return target.split('#', 1)[0] ?? target;
}
