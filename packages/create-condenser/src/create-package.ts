import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { condenserPackageFiles } from './package-files.js';
import { condenserNames } from './package-name.js';

/** A package that was written. */
export interface CreatedPackage {
  readonly directory: string;
  /** Paths in the directory, in the order of their names. */
  readonly files: readonly string[];
}

/**
 * Writes a new condenser package into a folder, which must be empty or not there yet.
 *
 * @param options.directory - where to. @defaultValue the package's name without its scope, in the working directory
 * @throws RangeError if npm would refuse the name; Error if the folder is not empty: nothing is overwritten.
 */
export async function createCondenserPackage(
  packageName: string,
  options: { readonly directory?: string } = {},
): Promise<CreatedPackage> {
  const directory = path.resolve(options.directory ?? condenserNames(packageName).folder);
  const files = await condenserPackageFiles(packageName);
  await mkdir(directory, { recursive: true });
  const there = await readdir(directory);
  if (there.length > 0) {
    throw new Error(`'${directory}' is not empty: it holds '${there[0]}'. Choose another folder with --directory.`);
  }
  for (const [file, text] of files) {
    const target = path.join(directory, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text, { flag: 'wx' });
  }
  return { directory, files: [...files.keys()] };
}
