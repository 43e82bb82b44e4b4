import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Template } from '@huggingface/jinja';
import { condenserNames } from './package-name.js';

interface OwnManifest {
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The folder above `src` and `dist`. */
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** The ending of template files, so that tools do not take them for files of this package. */
const suffix = '.template';

/**
 * The files of a new condenser package, by path. Its version ranges are those with which this package was released.
 *
 * @throws RangeError if npm would refuse the name.
 */
export async function condenserPackageFiles(packageName: string): Promise<ReadonlyMap<string, string>> {
  const { devDependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as OwnManifest;
  const values = { ...condenserNames(packageName), versions: devDependencies };
  const template = path.join(root, 'template');
  const files = new Map<string, string>();
  for (const file of (await templateFiles(template)).sort()) {
    const text = await readFile(path.join(template, file), 'utf8');
    files.set(file.slice(0, -suffix.length).replaceAll(path.sep, '/'), new Template(text).render(values));
  }
  return files;
}

async function templateFiles(folder: string, below = ''): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(path.join(folder, below), { withFileTypes: true })) {
    const name = path.join(below, entry.name);
    if (entry.isDirectory()) found.push(...(await templateFiles(folder, name)));
    else if (name.endsWith(suffix)) found.push(name);
  }
  return found;
}
