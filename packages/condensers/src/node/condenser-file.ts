import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { resolve } from 'import-meta-resolve';
import type { Condenser } from '@palimpsest/view';
import { InvalidCondenserConfigError, loadCondenserConfig } from '../config/index.js';
import type { LoadedCondenser } from '../config/index.js';
import type { LoadCondenserOptions } from '../config/load-condenser.js';
import type { ImportModule } from '../config/package-condenser.js';

/**
 * Creates a condenser from a configuration file, TOML or JSON. Packages named by `use` are resolved from the file's folder. Files
 * named by `promptFile`, and the templates that these include, must be in that folder or below it; links that lead outside are
 * refused. A configuration file can load code: pass only a file that the user named, never one found in a folder to which others
 * can write.
 *
 * @param options - the options of {@link loadCondenser}; they take precedence over the file's folder
 * @throws {@link InvalidCondenserConfigError} when the file cannot be read, and the errors of {@link loadCondenser}.
 */
export async function loadCondenserFile(file: string, options: LoadCondenserOptions = {}): Promise<Condenser> {
  return (await loadCondenserConfigFile(file, options)).condenser;
}

/** Loads a condenser like {@link loadCondenserFile}, with a note for every name that was read as another one. @throws the same errors. */
export async function loadCondenserConfigFile(
  file: string,
  options: LoadCondenserOptions = {},
): Promise<LoadedCondenser> {
  const folder = path.dirname(path.resolve(file));
  let text: string;
  try {
    // A read of a pipe or a device may never end.
    if (!(await stat(file)).isFile()) throw new Error('it is not a regular file');
    text = await readFile(file, 'utf8');
  } catch (cause) {
    const reason = `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new InvalidCondenserConfigError({ condenser: 'configuration', option: file, reason, cause });
  }
  return loadCondenserConfig(text, {
    importModule: importFrom(folder),
    readPrompt: promptsFrom(folder),
    ...options,
  });
}

/**
 * Reads templates in the folder or below it, for `readPrompt`. A template may be untrusted, so it cannot include files outside of
 * the folder, and a pipe or a device is not read.
 */
export function promptsFrom(folder: string): (file: string) => Promise<string> {
  return (prompt) => readPromptWithin(folder, prompt);
}

async function readPromptWithin(folder: string, prompt: string): Promise<string> {
  const [root, file] = await Promise.all([realpath(folder), realpath(path.resolve(folder, prompt))]);
  if (!file.startsWith(root + path.sep)) {
    const reason = `'${prompt}' leads out of the folder of the configuration, ${folder}: put the template into that folder`;
    throw new InvalidCondenserConfigError({ condenser: 'configuration', option: 'promptFile', reason });
  }
  if (!(await stat(file)).isFile()) throw new Error('it is not a regular file');
  return readFile(file, 'utf8');
}

/** Imports packages like a module in this folder: from its `node_modules`, or from those of the parent folders. */
export function importFrom(folder: string): ImportModule {
  const parent = pathToFileURL(path.join(path.resolve(folder), 'configuration.js')).href;
  return (name) => import(resolve(name, parent));
}
