import path from 'node:path';
import { expect, it } from 'vitest';
import { apps, publishedPackages, publishedPlugins, readManifest, workspaceRoot } from './workspace.js';

const published = [...publishedPackages, ...apps, ...publishedPlugins];

it.each(published.map((each) => [each.manifest.name, each] as const))(
  '%s says where it comes from, and is built before it is packed',
  (_, { directory, manifest }) => {
    const folder = path.relative(workspaceRoot, directory).replaceAll(path.sep, '/');

    expect(manifest.repository).toMatchObject({ type: 'git', directory: folder });
    expect(manifest.homepage).toContain(folder);
    expect(manifest.scripts?.['prepack']).toBe('npm run build');
  },
);

it('the checks depend on all that they check, so that Nx builds that before them', () => {
  const { devDependencies = {} } = readManifest(path.join(workspaceRoot, 'tools/checks'));

  expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(published.map(({ manifest }) => manifest.name)));
});

it.each(published.map((each) => [each.manifest.name, each] as const))(
  '%s works with each later version of a sibling that does not break it',
  (_, { manifest: { dependencies = {}, peerDependencies = {} } }) => {
    const siblings = published.map(({ manifest }) => manifest.name);
    const ranges = Object.entries({ ...dependencies, ...peerDependencies }).filter(([name]) => siblings.includes(name));

    // With `^0.1.0` a minor version of one package would have to release all that depend on it (docs/versioning.md).
    expect(ranges.filter(([, range]) => !/^>=(\d+)\.\d+\.\d+ <\d+$/.test(range))).toEqual([]);
  },
);
