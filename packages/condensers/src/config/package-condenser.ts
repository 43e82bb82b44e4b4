import { PalimpsestError } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import type { Condenser } from '@palimpsest/view';
import { isCondenserDefinition } from '../authoring/definition/define-condenser.js';
import type { CondenserHost } from '../authoring/definition/define-condenser.js';
import { InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { joined, shown } from '../authoring/definition/options.js';
import { fromDefinition } from './host-parts.js';

/** A function that imports a module by the name of a package. */
export type ImportModule = (name: string) => Promise<unknown>;

/** The place of a package in a configuration, and the host's part of its options. */
export interface PackageParts {
  /** The place of the configuration's part that names the package; empty at its top. */
  readonly path: string;
  readonly importModule: ImportModule;
  readonly host: CondenserHost;
  /** The host's own model, for a definition that needs one if the configuration names none. @throws when the host has none */
  readonly defaultModel: () => Promise<LLM>;
}

/** `name`, `@scope/name`, and a subpath of either: no form that can be a path on a disk or a network address. */
const packageName = /^(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/**
 * Creates the condenser of a package. If the default export is the result of `defineCondenser`, its schema checks the options,
 * and unknown ones are refused as for built-in condensers. If it is a function, it is called with the options, including `llm` if
 * the configuration names a model, and checks them itself.
 *
 * @throws {@link InvalidCondenserConfigError} when the name is not a package's, when the package cannot be imported, when its
 *   default export is neither, when the options are wrong, when a model is named that the package does not use, when the factory
 *   throws, or when its result is not a condenser. A Palimpsest error of the factory is rethrown unchanged.
 */
export async function packageCondenser(
  name: unknown,
  options: Readonly<Record<string, unknown>>,
  { path, importModule, host, defaultModel }: PackageParts,
): Promise<Condenser> {
  const option = joined(path, 'use');
  if (typeof name !== 'string' || !packageName.test(name) || name.startsWith('node:')) {
    const reason = `must be the name of an installed package, such as '@acme/condenser-x', not ${shown(name)}: code is not loaded from a path or an address`;
    throw new InvalidCondenserConfigError({ condenser: 'configuration', option, reason });
  }
  const wrong = (reason: string, cause?: unknown) =>
    new InvalidCondenserConfigError({ condenser: name, option, reason, cause });
  let loaded: unknown;
  try {
    loaded = await importModule(name);
  } catch (cause) {
    throw wrong(
      `cannot be imported: ${messageOf(cause)}. Install it where your program finds its packages. If it is installed in another place, pass a function as 'importModule' that imports it`,
      cause,
    );
  }
  const factory = factoryOf(loaded, { subject: name, place: path, path: joined(path, 'options'), host, defaultModel });
  if (factory === undefined) {
    const names = typeof loaded === 'object' && loaded !== null ? namesIn(loaded) : shown(loaded);
    throw wrong(
      `must export by default what defineCondenser() returns, or a function that returns a condenser; it exports: ${names || 'nothing'}`,
    );
  }
  let made: unknown;
  try {
    made = await factory(options);
  } catch (error) {
    if (PalimpsestError.isInstance(error)) throw error;
    throw wrong(`failed to make a condenser: ${messageOf(error)}`, error);
  }
  if (!isCondenser(made))
    throw wrong(`made ${shown(made)}, which is not a condenser: a condenser has a 'name' and a 'condense' method`);
  return made;
}

/** Returns the first of a module's exports: a complete list could fill pages. */
function namesIn(loaded: object): string {
  const names = Object.keys(loaded);
  return names.length > 12 ? `${names.slice(0, 12).join(', ')} and ${names.length - 12} more` : names.join(', ');
}

interface FactoryParts {
  readonly subject: string;
  /** The place of the configuration's part that names the package. */
  readonly place: string;
  /** The place of the package's options. */
  readonly path: string;
  readonly host: CondenserHost;
  readonly defaultModel: () => Promise<LLM>;
}

type Factory = (options: Readonly<Record<string, unknown>>) => unknown;

/** Returns the default export; for a CommonJS module compiled from ESM, the `default` of that export. */
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
