// `npm run version-packages`: what the changesets say becomes versions, change logs and ranges. Changesets writes the lower end of a range
// alone, which would let a package of today be installed with a sibling that breaks it.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceRoot } from './run.mjs';
import { projectFolders } from './test-summary.mjs';

/** @typedef {{ version: string } & Record<string, Record<string, string> | undefined>} Manifest */

// The folder that npm runs it in: a test has a copy.
const root = process.cwd();
const before = manifests();
const { status } = spawnSync(
  process.execPath,
  [path.join(workspaceRoot, 'node_modules/@changesets/cli/bin.js'), 'version'],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
process.exitCode = status ?? 1;
if (status === 0) writeRanges();

/** @returns {ReadonlyMap<string, string>} the text of each manifest, by its file */
function manifests() {
  const files = projectFolders(root).map((folder) => path.join(root, folder, 'package.json'));
  return new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
}

/** In each manifest that Changesets changed, a sibling may be of each later version that is no major one. */
function writeRanges() {
  const after = manifests();
  const versions = new Map(
    [...after.values()].map((text) => JSON.parse(text)).map(({ name, version }) => [name, version]),
  );
  for (const [file, text] of after) {
    if (text === before.get(file)) continue;
    /** @type {Manifest} */
    const manifest = JSON.parse(text);
    for (const field of ['dependencies', 'peerDependencies', 'devDependencies']) {
      const ranges = manifest[field] ?? {};
      for (const name of Object.keys(ranges)) {
        const version = versions.get(name);
        if (version !== undefined) ranges[name] = `>=${version} <${Number.parseInt(version) + 1}`;
      }
    }
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  }
}
