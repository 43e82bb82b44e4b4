import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceRoot } from './run.mjs';
import { projectFolders } from './test-summary.mjs';

/** The folder in which a release is prepared: tarballs, `release.json`, and the bill of materials. */
export const releaseFolder = path.join(workspaceRoot, 'release');

/**
 * @typedef {object} Packed
 * @property {string} name
 * @property {string} version
 * @property {string} tag the tag on npm under which the version is found
 * @property {string} file the tarball, in the folder of the release
 * @property {number} size of the tarball, in bytes
 * @property {number} unpackedSize in bytes
 * @property {number} files how many are in it
 * @property {string} integrity the digest that npm compares
 */

/** @returns {readonly string[]} the folders of all that is published, from the root of the workspace */
export function publishedFolders() {
  return projectFolders(workspaceRoot).filter(
    (folder) => JSON.parse(readFileSync(path.join(workspaceRoot, folder, 'package.json'), 'utf8')).private !== true,
  );
}

/**
 * Packs what is built into an empty folder `release`, and lists it in `release.json`.
 *
 * @returns {readonly Packed[]}
 */
export function packRelease() {
  rmSync(releaseFolder, { recursive: true, force: true });
  mkdirSync(releaseFolder);
  const folders = publishedFolders().map((folder) => `./${folder}`);
  const output = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', releaseFolder, ...folders]);
  /** @type {readonly Packed[]} */
  const packed = Object.values(JSON.parse(output)).map((each) => ({
    name: each.name,
    version: each.version,
    tag: /-([a-z]+)/.exec(each.version)?.[1] ?? 'latest',
    file: each.filename,
    size: each.size,
    unpackedSize: each.unpackedSize,
    files: each.entryCount,
    integrity: each.integrity,
  }));
  writeFileSync(path.join(releaseFolder, 'release.json'), `${JSON.stringify(packed, null, 2)}\n`);
  return packed;
}

/** @returns {readonly Packed[]} what `packRelease` has packed */
export function readRelease() {
  return JSON.parse(readFileSync(path.join(releaseFolder, 'release.json'), 'utf8'));
}

/**
 * Runs npm, and shows what it says on standard error.
 *
 * @param {readonly string[]} args
 * @param {string} folder
 * @returns {string} its output
 */
export function npm(args, folder = workspaceRoot) {
  const { status, stdout, error } = spawnSync('npm', [...args, '--loglevel=error'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`npm ${args[0]} ended with ${status}.\n${stdout}`);
  return stdout;
}
