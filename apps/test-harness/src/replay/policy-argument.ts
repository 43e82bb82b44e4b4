import { resolve } from 'node:path';
import { condenserNames } from '@palimpsest/condensers/config';
import { CondenserNotFoundError, InvalidCondenserConfigError } from '@palimpsest/condensers/config';
import type { CondenserConfig } from '@palimpsest/condensers/config';
import { installedAt } from './code-digest.js';
import { none } from './policy.js';
import type { PolicySource } from './policy.js';
import { referenceAgent } from './reference-agent.js';
import { allRivals, rivalNames } from '../rivals/descriptions.js';
import { rivalOf } from '../rivals/index.js';

/** A policy as somebody named it. */
export interface NamedSource {
  readonly name: string;
  readonly source: PolicySource;
}

/** The names of condensers that need no package. */
const replayableNames: readonly string[] = [...condenserNames, referenceAgent];

/** What these condensers cannot do without. */
const usualOptions: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  slidingWindow: { compactionInterval: 3, overlapSize: 1 },
};

/**
 * Reads an argument that names a condenser: `extractiveSummary`, a package that is installed where the folder is (`@acme/condenser-x`),
 * either with options (`extractiveSummary:maxTokens=40000;keepFirst=2`), and with several values of an option
 * (`extractiveSummary:maxTokens=20000,40000,80000`), which gives a policy for each. Values are JSON; other text stands for itself.
 * `rival:…` is a policy of another project, and `rivals` are all of them.
 *
 * @throws {@link CondenserNotFoundError} for a name that is neither; lists those that are.
 * @throws {@link InvalidCondenserConfigError} for options that cannot be read.
 */
export async function policySources(argument: string, folder: string): Promise<readonly NamedSource[]> {
  if (argument === allRivals) return rivalNames.map(namedSource);
  if (argument.startsWith('rival:')) {
    if (rivalOf(argument) === undefined) throw new CondenserNotFoundError(argument, rivalNames);
    return [namedSource(argument)];
  }
  const colon = argument.indexOf(':');
  const name = colon === -1 ? argument : argument.slice(0, colon);
  const sweep = colon === -1 ? [] : optionsIn(argument.slice(colon + 1), name);
  if (name === none.name && colon === -1) return [{ name, source: { kind: 'none' } }];
  if (replayableNames.includes(name)) {
    if (sweep.length === 0) return [namedSource(name)];
    if (name === referenceAgent) {
      const reason = 'is not an option: it has none. Describe its pipeline in a file, with --config';
      throw new InvalidCondenserConfigError({ condenser: name, option: sweep[0]?.path ?? '', reason });
    }
    return combinations(sweep).map(({ label, options }) => ({
      name: `${name} ${label}`,
      source: { kind: 'config', folder, config: { type: name, ...usualOptions[name], ...options } as CondenserConfig },
    }));
  }
  // With a slash it can only be a package; whoever loads it says what is wrong with it.
  if (!name.includes('/') && (await installedAt(name, resolve(folder))) === undefined) {
    throw new CondenserNotFoundError(name, [...replayableNames, ...rivalNames, allRivals]);
  }
  return combinations(sweep).map(({ label, options }) => ({
    name: label === '' ? name : `${name} ${label}`,
    source: { kind: 'config', folder, config: { use: name, options } },
  }));
}

function namedSource(name: string): NamedSource {
  return { name, source: { kind: 'name', name } };
}

interface SweptOption {
  readonly path: string;
  readonly values: readonly unknown[];
}

function optionsIn(text: string, condenser: string): readonly SweptOption[] {
  return text.split(';').map((part) => {
    const [, path = '', values = ''] = /^\s*([\w.]+)\s*=(.*)$/s.exec(part) ?? [];
    if (path === '') {
      const reason =
        'cannot be read: options are written as name=value, name=value1,value2 for several, and ; between options';
      throw new InvalidCondenserConfigError({ condenser, option: part, reason });
    }
    return { path, values: valuesIn(values) };
  });
}

/** A list in brackets is one value. */
function valuesIn(text: string): readonly unknown[] {
  const whole = parsed(text);
  return typeof whole === 'string' ? text.split(',').map(parsed) : [whole];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.trim();
  }
}

/** Every combination of the values, with a label for the report. */
function combinations(
  sweep: readonly SweptOption[],
): readonly { readonly label: string; readonly options: Readonly<Record<string, unknown>> }[] {
  return sweep.reduce<readonly { label: string; options: Readonly<Record<string, unknown>> }[]>(
    (all, { path, values }) =>
      all.flatMap(({ label, options }) =>
        values.map((value) => ({
          label: `${label}${label === '' ? '' : ' '}${path}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
          options: withOption(options, path.split('.'), value),
        })),
      ),
    [{ label: '', options: {} }],
  );
}

function withOption(
  options: Readonly<Record<string, unknown>>,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  if (rest.length === 0) return { ...options, [key]: value };
  const inner = options[key];
  const table = typeof inner === 'object' && inner !== null ? (inner as Readonly<Record<string, unknown>>) : {};
  return { ...options, [key]: withOption(table, rest, value) };
}
