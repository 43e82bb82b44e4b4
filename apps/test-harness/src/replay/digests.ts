import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the digest of the harness's own code, and of what it depends on. */
export async function codeDigest(): Promise<string> {
  return digestOfPackage(await folderOfPackage(dirname(fileURLToPath(import.meta.url))));
}

/**
 * Returns the digest of a package that is installed where a module in the folder would find it; undefined if there is
 * none.
 *
 * @param name - of the package, or of a subpath of it
 */
export async function digestOfInstalled(name: string, folder: string): Promise<string | undefined> {
  const parts = name.split('/').slice(0, name.startsWith('@') ? 2 : 1);
  const installed = await installedAt(parts.join('/'), folder);
  return installed === undefined ? undefined : digestOfPackage(installed);
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const code = /\.(?:[cm]?[jt]s|json|j2|wasm)$/;

/**
 * Digests the code of a package and of its dependencies. A dependency from a registry is known by its name and version; one that is
 * linked from elsewhere changes without a new version, so its code is read.
 */
async function digestOfPackage(folder: string, seen = new Set<string>()): Promise<string> {
  seen.add(folder);
  const hash = createHash('sha256');
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const isBuilt = existsSync(join(folder, 'dist'));
  hash.update(`${manifest.name} ${manifest.version}\n`);
  for (const file of await filesOf(folder)) {
    const path = relative(folder, file);
    // Of a package with a build only the build runs.
    if (isBuilt && !path.startsWith('dist')) continue;
    hash.update(`${path}\n`).update(await readFile(file));
  }
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).sort()) {
    const installed = await installedAt(name, folder);
    if (installed === undefined || seen.has(installed)) continue;
    if (installed.includes('node_modules')) {
      const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Manifest;
      hash.update(`${name} ${version}\n`);
    } else hash.update(await digestOfPackage(installed, seen));
  }
  return hash.digest('hex');
}

/** Returns the folder of the package that a module in a folder would find; undefined if there is none. */
export async function installedAt(name: string, folder: string): Promise<string | undefined> {
  for (let place = folder; ; place = dirname(place)) {
    const candidate = join(place, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return realpath(candidate);
    if (place === dirname(place)) return undefined;
  }
}

async function folderOfPackage(folder: string): Promise<string> {
  let place = folder;
  while (!existsSync(join(place, 'package.json'))) place = dirname(place);
  return realpath(place);
}

async function filesOf(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules' && !entry.name.startsWith('.')) files.push(...(await filesOf(path)));
    } else if (entry.isFile() && code.test(entry.name)) files.push(path);
  }
  return files.sort();
}
