import { PalimpsestError } from '@palimpsest/events';
import type { Condenser } from '@palimpsest/view';
import { InvalidCondenserConfigError } from '../errors.js';
import { joined, shown } from './option-issues.js';

/** Imports a module by the name of a package. */
export type ImportModule = (name: string) => Promise<unknown>;

/** `name`, `@scope/name`, and a subpath of either: nothing that can mean a place on a disk or a network. */
const packageName = /^(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/**
 * Makes a condenser of a package: its default export is called with the options.
 *
 * @throws {@link InvalidCondenserConfigError} when the name is not a package's, the package cannot be imported, its default export is no
 *   factory, the factory throws, or what it makes is no condenser. An error of ours that the factory throws goes through.
 */
export async function packageCondenser(
  name: unknown,
  options: Readonly<Record<string, unknown>>,
  { path, importModule }: { readonly path: string; readonly importModule: ImportModule },
): Promise<Condenser> {
  const option = joined(path, 'use');
  if (typeof name !== 'string' || !packageName.test(name) || name.startsWith('node:')) {
    const reason = `must be the name of a package that the host has installed, such as '@acme/condenser-x', not ${shown(name)}: code is not loaded from a path or an address`;
    throw new InvalidCondenserConfigError({ condenser: 'configuration', option, reason });
  }
  const wrong = (reason: string, cause?: unknown) =>
    new InvalidCondenserConfigError({ condenser: name, option, reason, cause });
  let loaded: unknown;
  try {
    loaded = await importModule(name);
  } catch (cause) {
    throw wrong(
      `cannot be imported: ${messageOf(cause)}. Is it installed where the host resolves packages? A host that holds it elsewhere passes 'importModule'`,
      cause,
    );
  }
  const factory = factoryOf(loaded);
  if (factory === undefined) {
    const names = typeof loaded === 'object' && loaded !== null ? namesIn(loaded) : shown(loaded);
    throw wrong(`has no default export that makes a condenser; it exports: ${names || 'nothing'}`);
  }
  let made: unknown;
  try {
    made = await factory(options);
  } catch (error) {
    if (PalimpsestError.isInstance(error)) throw error;
    throw wrong(`failed to make a condenser: ${messageOf(error)}`, error);
  }
  if (!isCondenser(made)) throw wrong(`made ${shown(made)}, which is no condenser: it needs a 'name' and 'condense'`);
  return made;
}

/** Some of what a module exports: of the largest it would be pages. */
function namesIn(loaded: object): string {
  const names = Object.keys(loaded);
  return names.length > 12 ? `${names.slice(0, 12).join(', ')} and ${names.length - 12} more` : names.join(', ');
}

type Factory = (options: Readonly<Record<string, unknown>>) => unknown;

/** The default export; for CommonJS that was compiled from a module, the default of that. */
function factoryOf(loaded: unknown): Factory | undefined {
  const first = defaultOf(loaded);
  const found = typeof first === 'function' ? first : defaultOf(first);
  return typeof found === 'function' ? (found as Factory) : undefined;
}

function defaultOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as { default?: unknown }).default : undefined;
}

function isCondenser(value: unknown): value is Condenser {
  const { name, condense } = (value ?? {}) as Partial<Condenser>;
  return typeof name === 'string' && typeof condense === 'function';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
