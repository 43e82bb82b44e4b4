import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import {
  condenserNames,
  CondenserNotFoundError,
  InvalidCondenserConfigError,
  loadCondenser,
} from '@palimpsest/condensers/config';
import type { CondenserConfig } from '@palimpsest/condensers/config';
import { importFrom, loadCondenserConfigFile, loadCondenserFile } from '@palimpsest/condensers/node';
import type { LLM } from '@palimpsest/llm-adapters';
import { rivalOf } from '../rivals/index.js';
import { allRivals, rivalNames } from '../rivals/rival.js';
import { digestOfInstalled, installedAt } from './digests.js';
import { labelWithOptions } from './label.js';
import { namedCreator, none, referenceAgent, referenceAgentCondenser } from './named-policy.js';
import type { NamedSource, Policy, PolicySource } from './named-policy.js';
import { stubSummarizer } from './stub-summarizer.js';

/** Condensers as a command line names them. */
export interface PolicyArguments {
  /** Names, packages, options and sweeps: see {@link policySourcesIn}. */
  readonly condenser: readonly string[];
  /** Files that describe a condenser each. */
  readonly config: readonly string[];
  /** From where packages are resolved. @defaultValue the working directory */
  readonly folder?: string;
}

/** Of condensers that are only made; counting tokens would load their vocabulary. */
const unasked = stubSummarizer((text) => text.length).llm;

/**
 * Returns the policies of a command line: `none`, and those that are named, each with a name of its own. If none is named, all built-in
 * ones. Each is made once, so that a bad one is refused before anything is read.
 *
 * @throws {@link CondenserNotFoundError} for a name that is no condenser; lists those that are.
 * @throws {@link InvalidCondenserConfigError} for options and files that describe none.
 */
export async function parsePolicies({
  condenser,
  config,
  folder = '.',
}: PolicyArguments): Promise<readonly (Policy & NamedSource)[]> {
  const names = new Set(condenser.length === 0 && config.length === 0 ? condenserNames : condenser);
  names.delete(none.name);
  const policies: (Policy & NamedSource)[] = [];
  for (const argument of names) {
    for (const { name, source } of await policySourcesIn(argument, resolve(folder)))
      policies.push(policyFrom(name, source));
  }
  for (const file of config) {
    const policy = policyFrom(basename(file), { kind: 'file', file: resolve(file) });
    const name = await fileLabel(resolve(file));
    const isAlone = config.length === 1 && !policies.some((other) => other.name === name);
    policies.push(isAlone ? { ...policy, name } : { ...policy, name: `${name} (${basename(file)})` });
  }
  for (const { create } of policies) await create(unasked);
  return [none, ...withOwnNames(policies)];
}

/** Returns the condenser's name with the options that its file gives it. */
async function fileLabel(file: string): Promise<string> {
  const { condenser, description } = await loadCondenserConfigFile(file, hostOf(unasked));
  return labelWithOptions(condenser.name, description ?? {});
}

/** Numbers policies of the same name for the report: `keepNewest`, `keepNewest (2)`. */
function withOwnNames<Named extends { readonly name: string }>(policies: readonly Named[]): readonly Named[] {
  const counts = new Map<string, number>([[none.name, 1]]);
  return policies.map((policy) => {
    const count = (counts.get(policy.name) ?? 0) + 1;
    counts.set(policy.name, count);
    return count === 1 ? policy : { ...policy, name: `${policy.name} (${count})` };
  });
}

/** The names of condensers that need no package. */
const replayableNames: readonly string[] = [...condenserNames, referenceAgent];

/** The options that these condensers cannot do without. */
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
export async function policySourcesIn(argument: string, folder: string): Promise<readonly NamedSource[]> {
  if (argument === allRivals) return rivalNames.map(namedSource);
  if (argument.startsWith('rival:')) {
    if (rivalOf(argument) === undefined) throw new CondenserNotFoundError(argument, rivalNames);
    return [namedSource(argument)];
  }
  const colon = argument.indexOf(':');
  const name = colon === -1 ? argument : argument.slice(0, colon);
  const sweep = colon === -1 ? [] : optionsIn(argument.slice(colon + 1), name);
  if (name === none.name && colon === -1) return [namedSource(name)];
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

/** Reads the values of an option. A list in brackets is one value. */
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

/** Options, with a label for the report. */
interface Combination {
  readonly label: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Returns every combination of the values. */
function combinations(sweep: readonly SweptOption[]): readonly Combination[] {
  return sweep.reduce<readonly Combination[]>(
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

/** Returns the policy that a source describes. Nothing is loaded before `create`. */
export function policyFrom(name: string, source: PolicySource): Policy & NamedSource {
  return { name, source, create: creatorOf(source) };
}

function creatorOf(source: PolicySource): Policy['create'] {
  switch (source.kind) {
    case 'name':
      return namedCreator(source.name);
    case 'config':
      return (llm) => loadCondenser(source.config, { ...hostOf(llm), importModule: importFrom(source.folder) });
    case 'file':
      return (llm) => loadCondenserFile(source.file, hostOf(llm));
  }
}

/** A configuration may leave the condenser to its host: that is the reference agent. */
const hostOf = (llm: LLM) => ({ llm: () => llm, defaultLLM: llm, defaultCondenser: referenceAgentCondenser });

/**
 * Returns the digest of all that a policy's results depend on besides the harness: its options, and the code of the packages that it names.
 * Undefined if that cannot be told, so that its results are not stored.
 */
export async function policyDigest(source: PolicySource): Promise<string | undefined> {
  switch (source.kind) {
    case 'name':
      return JSON.stringify(source);
    case 'config':
      return digestWith(JSON.stringify(source.config), source.folder);
    case 'file':
      return digestWith(await readFile(source.file, 'utf8'), dirname(resolve(source.file)));
  }
}

const packageName = /["']?\buse["']?\s*[:=]\s*["']([^"']+)["']/g;

async function digestWith(config: string, folder: string): Promise<string | undefined> {
  // Prompts in files of their own are not looked for.
  if (/prompt_?file/i.test(config)) return undefined;
  const hash = createHash('sha256').update(config);
  for (const [, name = ''] of config.matchAll(packageName)) {
    const digest = await digestOfInstalled(name, folder);
    if (digest === undefined) return undefined;
    hash.update(digest);
  }
  return hash.digest('hex');
}
