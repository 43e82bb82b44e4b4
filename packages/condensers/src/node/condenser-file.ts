import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolve } from 'import-meta-resolve';
import type { Condenser } from '@palimpsest/view';
import { InvalidCondenserConfigError, loadCondenserConfig } from '../config/index.js';
import type { ImportModule, LoadCondenserOptions, LoadedCondenser } from '../config/index.js';

/**
 * Makes a condenser from a configuration file, TOML or JSON. Packages that it names by `use` are those installed where the file
 * lies. Files that it names by `promptFile`, and templates that these include, lie in its folder or below it; links that lead out are
 * refused. Such a file can load code: give only one that the user named, never one that was found in a folder that somebody else
 * may write to.
 *
 * @param options - as for {@link loadCondenser}; what they hold comes before what the file's place gives
 * @throws {@link InvalidCondenserConfigError} when the file cannot be read, and what {@link loadCondenser} throws.
 */
export async function loadCondenserFile(file: string, options: LoadCondenserOptions = {}): Promise<Condenser> {
  return (await loadCondenserConfigFile(file, options)).condenser;
}

/** As {@link loadCondenserFile}, with a note of every name that was read as another one. @throws as it does. */
export async function loadCondenserConfigFile(
  file: string,
  options: LoadCondenserOptions = {},
): Promise<LoadedCondenser> {
  const folder = path.dirname(path.resolve(file));
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    const reason = `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new InvalidCondenserConfigError({ condenser: 'configuration', option: file, reason, cause });
  }
  return loadCondenserConfig(text, {
    importModule: importFrom(folder),
    readPrompt: (prompt) => readPromptWithin(folder, prompt),
    ...options,
  });
}

/** Reads a template of the folder. A template may come from somebody else, so it includes no other file of the machine. */
async function readPromptWithin(folder: string, prompt: string): Promise<string> {
  const [root, file] = await Promise.all([realpath(folder), realpath(path.resolve(folder, prompt))]);
  if (!file.startsWith(root + path.sep)) {
    const reason = `'${prompt}' leads out of the folder of the configuration, ${folder}: put the template into that folder`;
    throw new InvalidCondenserConfigError({ condenser: 'configuration', option: 'promptFile', reason });
  }
  return readFile(file, 'utf8');
}

/** Imports packages as a module in this folder would: from its `node_modules`, or from those of the folders above. */
export function importFrom(folder: string): ImportModule {
  const parent = pathToFileURL(path.join(path.resolve(folder), 'configuration.js')).href;
  return (name) => import(resolve(name, parent));
}
