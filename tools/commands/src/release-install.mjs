import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { npm, releaseFolder } from './release-pack.mjs';

/** @typedef {import('./release-pack.mjs').Packed} Packed */

/**
 * Installs the tarballs in an empty folder, as a user does: what they depend on comes from the registry, in the newest version of each
 * range. Then runs the commands, and imports every entry.
 *
 * @param {readonly Packed[]} packed
 * @returns {readonly string[]} what failed
 */
export function installFromRegistry(packed) {
  const folder = mkdtempSync(path.join(tmpdir(), 'release-'));
  try {
    const dependencies = Object.fromEntries(
      packed.map(({ name, file }) => [name, `file:${path.join(releaseFolder, file)}`]),
    );
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
    npm(['install', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
    return packed.flatMap((each) => problemsOf(each, folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {Packed} packed
 * @param {string} folder
 * @returns {readonly string[]}
 */
function problemsOf({ name, version }, folder) {
  const place = path.join(folder, 'node_modules', name);
  /** @type {{ bin?: Record<string, string>, exports?: Record<string, unknown>, peerDependenciesMeta?: object }} */
  const manifest = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8'));
  const commands = Object.values(manifest.bin ?? {}).map((file) => [path.join(place, file), '--help']);
  const entries = Object.keys(manifest.exports ?? {}).filter((entry) => entry !== './package.json');
  const imports = entries.map((entry) => `await import('${name}${entry.slice(1)}');`).join('\n');
  const programs = [...commands, ...(entries.length > 0 ? [['--input-type=module', '-e', imports]] : [])];
  return programs.flatMap((args) => {
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    return status === 0 ? [] : [`${name} ${version}: ${stderr}`];
  });
}
