import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { workspaceRoot } from './run.mjs';
import { projectFolders } from './test-summary.mjs';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const folders = projectFolders(workspaceRoot);
let copy: string;

/** The manifests of the workspace without its code: all that decides about versions. */
beforeEach(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'versions-'));
  for (const file of [
    'package.json',
    'package-lock.json',
    '.changeset/config.json',
    ...folders.map((each) => `${each}/package.json`),
  ]) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    cpSync(path.join(workspaceRoot, file), path.join(copy, file));
  }
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: copy });
});

afterEach(() => rmSync(copy, { recursive: true }));

/** @returns the manifests of the copy after these changes, by name */
function afterChanges(changes: Readonly<Record<string, 'major' | 'minor' | 'patch'>>): ReadonlyMap<string, Manifest> {
  const front = Object.entries(changes).map(([name, kind]) => `'${name}': ${kind}\n`);
  writeFileSync(path.join(copy, '.changeset/a-change.md'), `---\n${front.join('')}---\n\nA change.\n`);
  const program = path.join(workspaceRoot, 'tools/commands/src/version.mjs');
  execFileSync(process.execPath, [program], { cwd: copy, stdio: ['ignore', 'ignore', 'pipe'] });
  return manifestsIn(copy);
}

function manifestsIn(root: string): ReadonlyMap<string, Manifest> {
  const manifests = folders.map(
    (folder) => JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as Manifest,
  );
  return new Map(manifests.map((each) => [each.name, each]));
}

const before = manifestsIn(workspaceRoot);
const changed = (after: ReadonlyMap<string, Manifest>): readonly string[] =>
  [...after.values()].filter(({ name, version }) => version !== before.get(name)?.version).map(({ name }) => name);

it('a minor version of events releases no package that depends on it', () => {
  const after = afterChanges({ '@palimpsest/events': 'minor', '@palimpsest/view': 'patch' });

  expect(changed(after)).toEqual(['@palimpsest/events', '@palimpsest/view']);
  expect(after.get('@palimpsest/events')?.version).toBe('0.2.0');
  // What is released with it needs the version that it was tested with, or a later one that does not break it.
  expect(after.get('@palimpsest/view')?.dependencies).toEqual({ '@palimpsest/events': '>=0.2.0 <1' });
  expect(after.get('@palimpsest/tools')).toEqual(before.get('@palimpsest/tools'));
});

it('a major version of events releases all that depends on it, with a range that ends at the next', () => {
  const after = afterChanges({ '@palimpsest/events': 'major' });
  const dependents = [...before.values()].filter(
    (each) => each.private !== true && '@palimpsest/events' in (each.dependencies ?? {}),
  );

  expect(changed(after)).toEqual(expect.arrayContaining(dependents.map(({ name }) => name)));
  expect(after.get('@palimpsest/view')?.dependencies).toEqual({ '@palimpsest/events': '>=1.0.0 <2' });
});
