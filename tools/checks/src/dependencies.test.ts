import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { apps, packages, plugins, readManifest, workspaceRoot } from './workspace.js';

it('docs/dependencies.md gives the reason of every dependency, and of no other', () => {
  const text = readFileSync(path.join(workspaceRoot, 'docs/dependencies.md'), 'utf8');
  const explained = [...text.matchAll(/^\| (`.*?`) +\|/gm)].flatMap(([, names]) => names?.match(/[^`, ]+/g) ?? []);
  const own = new Set([...packages, ...apps, ...plugins].map(({ manifest }) => manifest.name));
  const manifests = [workspaceRoot, path.join(workspaceRoot, 'tools/checks')].map(readManifest);
  const declared = [...manifests, ...[...packages, ...apps, ...plugins].map((each) => each.manifest)]
    .flatMap((each) => Object.keys({ ...each.dependencies, ...each.peerDependencies, ...each.devDependencies }))
    .filter((name) => !own.has(name));

  expect(explained.sort()).toEqual([...new Set(declared)].sort());
});
