// Publishes what `npm run release:dry` has prepared and npm does not have yet. In a workflow with an identity, npm attests where it was built.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { readRelease, releaseFolder } from './release-pack.mjs';

const provenance = process.env['ACTIONS_ID_TOKEN_REQUEST_URL'] === undefined ? [] : ['--provenance'];

/**
 * @param {string} name
 * @param {string} version
 */
function isPublished(name, version) {
  const { status, stdout, stderr } = spawnSync('npm', ['view', `${name}@${version}`, 'version', '--json'], {
    encoding: 'utf8',
  });
  // A package that exists without this version is answered with nothing.
  if (status === 0) return stdout.trim() !== '';
  if (/E404/.test(stdout + stderr)) return false;
  throw new Error(`npm cannot say whether ${name}@${version} is published.\n${stderr}`);
}

for (const { name, version, file, tag } of readRelease()) {
  if (isPublished(name, version)) {
    console.log(`${name}@${version} is published already.`);
    continue;
  }
  const args = ['publish', path.join(releaseFolder, file), '--access', 'public', '--tag', tag, ...provenance];
  const { status } = spawnSync('npm', args, { stdio: 'inherit' });
  if (status !== 0) {
    console.error(`${name}@${version} was not published. Run this again: what is published is left out.`);
    process.exitCode = 1;
    break;
  }
}
