import { PalimpsestError } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import { isCondenserDefinition } from '../authoring/define-condenser.js';
import type { CondenserHost } from '../authoring/define-condenser.js';
import { InvalidCondenserConfigError } from '../authoring/errors.js';
import { joined, shown } from '../authoring/options/option-issues.js';
import { fromDefinition } from './from-definition.js';

/** Imports a module by the name of a package. */
export type ImportModule = (name: string) => Promise<unknown>;

/** Where a package is named, and what it is given besides its options. */
export interface PackageParts {
  /** Of the part of the configuration that names it; empty at its top. */
  readonly path: string;
  readonly importModule: ImportModule;
  readonly host: CondenserHost;
  /** The host's own model, for a definition that asks one where the configuration names none. @throws where the host has none */
  readonly defaultModel: () => Promise<LLM>;
}

/** `name`, `@scope/name`, and a subpath of either: nothing that can mean a place on a disk or a network. */
const packageName = /^(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/**
 * Makes a condenser of a package. Its default export is what `defineCondenser` returns: then the options are checked by its schema,
 * and unknown ones are refused as for our own. Or it is a function: then it is called with the options, and `llm` among them where
 * the configuration names a model, and has to check them itself.
 *
 * @throws {@link InvalidCondenserConfigError} when the name is not a package's, the package cannot be imported, its default export is
 *   neither, the options are wrong, a model is named that nobody asks, the factory throws, or what it makes is no condenser. An error of ours that the factory throws goes
 *   through.
 */
export async function packageCondenser(
  name: unknown,
  options: Readonly<Record<string, unknown>>,
  { path, importModule, host, defaultModel }: PackageParts,
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
  const factory = factoryOf(loaded, { subject: name, place: path, path: joined(path, 'options'), host, defaultModel });
  if (factory === undefined) {
    const names = typeof loaded === 'object' && loaded !== null ? namesIn(loaded) : shown(loaded);
    throw wrong(
      `has no default export that makes a condenser: what defineCondenser() returns, or a function; it exports: ${names || 'nothing'}`,
    );
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

interface FactoryParts {
  readonly subject: string;
  /** Of the part of the configuration that names the package. */
  readonly place: string;
  /** Of the package's options. */
  readonly path: string;
  readonly host: CondenserHost;
  readonly defaultModel: () => Promise<LLM>;
}

type Factory = (options: Readonly<Record<string, unknown>>) => unknown;

/** The default export; for CommonJS that was compiled from a module, the default of that. */
function factoryOf(loaded: unknown, { subject, place, path, host, defaultModel }: FactoryParts): Factory | undefined {
  const first = defaultOf(loaded);
  for (const found of [first, defaultOf(first)]) {
    if (isCondenserDefinition(found)) {
      if (host.llm !== undefined && !found.asksModel) {
        const option = joined(place, 'llm');
        throw new InvalidCondenserConfigError({
          condenser: subject,
          option,
          reason: 'is not an option: it asks no model',
        });
      }
      return (options) => fromDefinition(found, options, { subject, path, host, defaultModel });
    }
    if (typeof found === 'function') {
      return (options) => (found as Factory)(host.llm === undefined ? options : { ...options, llm: host.llm });
    }
  }
  return undefined;
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
