import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The names of a condenser package and of what is in it. */
export interface CondenserNames {
  /** The npm package: `@acme/condenser-keep-newest`. */
  readonly packageName: string;
  /** The folder that holds it: the package's name without its scope. */
  readonly folder: string;
  /** The condenser, as configurations and logs name it: `keepNewest`. */
  readonly condenserName: string;
}

const pattern = /^(?:@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/;
const longest = 214;

/**
 * Returns the names that follow from what a user typed: the name of a package, with or without a scope.
 *
 * @throws RangeError when npm would refuse it, or when no identifier can be made of it. It says which and what to type.
 * @see https://docs.npmjs.com/cli/configuring-npm/package-json#name
 */
export function condenserNames(packageName: string): CondenserNames {
  if (!pattern.test(packageName) || packageName.length > longest) {
    throw new RangeError(
      `'${packageName}' is not a valid name of an npm package: use small letters, digits and hyphens, such as 'condenser-keep-newest' or '@acme/condenser-keep-newest'`,
    );
  }
  const folder = packageName.slice(packageName.indexOf('/') + 1);
  const words = folder.split(/[-._~]+/).filter((word) => word !== '');
  const own = words.length > 1 && words[0] === 'condenser' ? words.slice(1) : words;
  const condenserName = own.map((word, index) => (index === 0 ? word : capitalised(word))).join('');
  if (!/^[a-z]/.test(condenserName)) {
    throw new RangeError(
      `'${packageName}' gives no name for the condenser: begin with a letter, such as 'keep-newest'`,
    );
  }
  return { packageName, folder, condenserName };
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The folder above `src` and `dist`. */
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** The ending of template files, so that tools do not take them for files of this package. */
const suffix = '.template';

/**
 * Returns the files of a new condenser package, by path. Its version ranges are those with which this package was released.
 *
 * @throws RangeError if npm would refuse the name.
 */
export async function condenserPackageFiles(packageName: string): Promise<ReadonlyMap<string, string>> {
  const manifest = await readFile(path.join(root, 'package.json'), 'utf8');
  const { devDependencies } = JSON.parse(manifest) as { readonly devDependencies: Readonly<Record<string, string>> };
  const values = { ...devDependencies, ...condenserNames(packageName) };
  const template = path.join(root, 'template');
  const entries = await readdir(template, { recursive: true });
  const files = new Map<string, string>();
  for (const file of entries.filter((name) => name.endsWith(suffix)).sort()) {
    const text = await readFile(path.join(template, file), 'utf8');
    files.set(file.slice(0, -suffix.length).replaceAll(path.sep, '/'), filled(text, values));
  }
  return files;
}

/** Replaces each `{{ name }}` by the value of that name. */
function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{ (\S+) \}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The template uses '${name}', which has no value.`);
    return value;
  });
}

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
 * @throws RangeError when npm would refuse the name.
 * @throws Error when the folder is not empty: nothing is overwritten.
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
