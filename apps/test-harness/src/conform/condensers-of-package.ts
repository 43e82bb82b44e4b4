import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isCondenserDefinition } from '@palimpsest/condensers/authoring';
import type { CondenserDefinition, CondenserHost } from '@palimpsest/condensers/authoring';
import { importFrom } from '@palimpsest/condensers/node';
import type { Condenser, ViewProperty } from '@palimpsest/view';
import { HarnessError, messageOf } from '../harness-error.js';

/** A condenser that a package exports. */
export interface PackageCondenser {
  /** The name of the export: `default`, or another one. */
  readonly exportName: string;
  readonly asksModel: boolean;
  /** @throws for options that it refuses */
  create(options: Readonly<Record<string, unknown>>, host: CondenserHost): Condenser | Promise<Condenser>;
}

/** The exports of a package that can be tested. */
export interface TestedPackage {
  readonly name: string;
  readonly condensers: readonly PackageCondenser[];
  /** An exported function as a view property. @throws {@link HarnessError} `conform` when there is none of this name */
  property(exportName: string): ViewProperty;
}

/**
 * Imports a package as a module in the folder would: its name, or the path of its folder, which begins with `.` or `/`.
 * A condenser is what `defineCondenser()` returns, or a default export that is a function.
 *
 * @throws {@link HarnessError} `conform` when the package cannot be imported.
 */
export async function testedPackage(nameOrFolder: string, folder: string): Promise<TestedPackage> {
  const isFolder = /^(?:\.{1,2}(?:[/\\]|$)|\/|[A-Za-z]:[/\\])/.test(nameOrFolder);
  const place = isFolder ? resolve(folder, nameOrFolder) : folder;
  const name = isFolder ? await nameIn(place) : nameOrFolder;
  const exported = await exportsOf(name, place);
  const condensers = Object.entries(exported).flatMap(([exportName, value]) => condenserOf(exportName, value) ?? []);
  return {
    name,
    condensers,
    property(exportName) {
      const value = exported[exportName];
      if (typeof value !== 'function')
        throw new HarnessError(
          'conform',
          `'${name}' exports no function '${exportName}'. It exports: ${namesOf(exported)}.`,
        );
      return value as ViewProperty;
    },
  };
}

/** The names of a module's exports, for messages. */
function namesOf(exported: Readonly<Record<string, unknown>>): string {
  return Object.keys(exported).slice(0, 12).join(', ') || 'nothing';
}

/** The name by which a package can import itself. */
async function nameIn(folder: string): Promise<string> {
  const file = join(folder, 'package.json');
  try {
    const manifest = JSON.parse(await readFile(file, 'utf8')) as { readonly name?: unknown } | null;
    if (typeof manifest?.name === 'string') return manifest.name;
  } catch (cause) {
    throw new HarnessError('conform', `'${file}' cannot be read: ${messageOf(cause)}`, { cause });
  }
  throw new HarnessError('conform', `'${file}' has no name, and a package is imported by its name.`);
}

async function exportsOf(name: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  let loaded: unknown;
  try {
    loaded = await importFrom(folder)(name);
  } catch (cause) {
    const hint = 'Is it installed there, and built?';
    throw new HarnessError('conform', `'${name}' cannot be imported from '${folder}': ${messageOf(cause)} ${hint}`, {
      cause,
    });
  }
  const exported = { ...(loaded as Readonly<Record<string, unknown>>) };
  // In a CommonJS module, `default` is all of its exports, and its own default stands in them.
  const inner = exported['default'];
  if (typeof inner === 'object' && inner !== null && 'default' in inner) exported['default'] = inner.default;
  delete exported['module.exports'];
  delete exported['__esModule'];
  return exported;
}

function condenserOf(exportName: string, value: unknown): PackageCondenser | undefined {
  if (isCondenserDefinition(value)) return fromDefinition(exportName, value);
  if (exportName !== 'default' || typeof value !== 'function') return undefined;
  const factory = value as (options: Readonly<Record<string, unknown>>) => Condenser | Promise<Condenser>;
  // A plain factory takes the model among its options, if it takes one.
  return { exportName, asksModel: true, create: (options, { llm }) => factory({ ...options, llm }) };
}

function fromDefinition(exportName: string, definition: CondenserDefinition): PackageCondenser {
  return {
    exportName,
    asksModel: definition.asksModel,
    create: (options, host) => definition.create(options, definition.asksModel ? host : {}),
  };
}
