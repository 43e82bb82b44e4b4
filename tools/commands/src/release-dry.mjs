// `npm run release:dry`: builds, packs and checks all that is published, and prints what would be. Nothing leaves the machine; what the
// packages depend on comes from the registry. The folder `release` holds what `publish.mjs` publishes.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { writeBillOfMaterials } from './release-bill.mjs';
import { installFromRegistry } from './release-install.mjs';
import { packRelease, releaseFolder } from './release-pack.mjs';
import { runNode, runTargets, workspaceRoot } from './run.mjs';

/** A problem that ends the command, in one line. */
class ReleaseProblem extends Error {}

/** @param {string} step */
function begin(step) {
  console.log(`\n== ${step}`);
}

/** @param {number} bytes */
const kilobytes = (bytes) => `${Math.ceil(bytes / 1000)} kB`.padStart(9);

function prepare() {
  const changesets = readdirSync(path.join(workspaceRoot, '.changeset')).filter((file) => file.endsWith('.md'));
  if (changesets.length > 0)
    throw new ReleaseProblem(
      `No version holds what these changesets say: ${changesets.join(', ')}. Run npm run version-packages.`,
    );

  begin('Build');
  if (runTargets(['build']) !== 0) throw new ReleaseProblem('The build failed.');

  begin('Pack');
  const packed = packRelease();
  console.log(`${packed.length} tarballs, and a bill of materials of ${writeBillOfMaterials()} packages.`);

  begin('Install from the registry in an empty folder, run the commands, import every entry');
  const problems = installFromRegistry(packed);
  if (problems.length > 0) throw new ReleaseProblem(problems.join('\n'));

  begin(
    'Check the tarballs: publint, attw, files, notices, licences, links, each alone, every block of the documentation',
  );
  const config = ['--root', 'tools/checks', '--config', 'vitest.published.config.ts'];
  const environment = { PALIMPSEST_RELEASE: releaseFolder };
  if (runNode('node_modules/vitest/vitest.mjs', ['run', ...config], process.execPath, environment) !== 0)
    throw new ReleaseProblem('A check failed: see above.');

  begin('Would be published');
  const width = Math.max(...packed.map(({ name }) => name.length));
  for (const { name, version, size, unpackedSize, files, tag } of packed)
    console.log(
      `${name.padEnd(width)}  ${version.padEnd(8)} ${tag.padEnd(7)} ${String(files).padStart(4)} files ${kilobytes(size)}, unpacked ${kilobytes(unpackedSize)}`,
    );
}

try {
  prepare();
} catch (error) {
  if (!(error instanceof ReleaseProblem)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
