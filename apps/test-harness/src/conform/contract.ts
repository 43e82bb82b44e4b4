import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isCondenserDefinition } from '@palimpsest/condensers/authoring';
import type { CondenserHost } from '@palimpsest/condensers/authoring';
import { importFrom } from '@palimpsest/condensers/node';
import type { Event } from '@palimpsest/events';
import { condenseUntilSettled, ViewProjection } from '@palimpsest/view';
import type { Condenser, ViewProperty } from '@palimpsest/view';
import { randomLog } from '@palimpsest/view/testing';
import type { CondenserContractOptions } from '@palimpsest/view/testing';
import { HarnessError, messageOf } from '../harness-error.js';

/** Makes the error for a package that cannot be tested. */
export function conformError(message: string, cause?: unknown): HarnessError {
  return new HarnessError('conform', message, { cause });
}

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
 * A condenser is what `defineCondenser()` returns, an object with a `condense` method, or a default export that is a function which
 * returns such an object.
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
        throw conformError(`'${name}' exports no function '${exportName}'. It exports: ${namesOf(exported)}.`);
      return value as ViewProperty;
    },
  };
}

/** Returns the names of a module's exports, for messages. */
function namesOf(exported: Readonly<Record<string, unknown>>): string {
  return Object.keys(exported).slice(0, 12).join(', ') || 'nothing';
}

/** Returns the name by which a package can import itself. */
async function nameIn(folder: string): Promise<string> {
  const file = join(folder, 'package.json');
  try {
    const manifest = JSON.parse(await readFile(file, 'utf8')) as { readonly name?: unknown } | null;
    if (typeof manifest?.name === 'string') return manifest.name;
  } catch (cause) {
    throw conformError(`'${file}' cannot be read: ${messageOf(cause)}`, cause);
  }
  throw conformError(`'${file}' has no name, and a package is imported by its name.`);
}

async function exportsOf(name: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  let loaded: unknown;
  try {
    loaded = await importFrom(folder)(name);
  } catch (cause) {
    const hint = 'Is it installed there, and built?';
    throw conformError(`'${name}' cannot be imported from '${folder}': ${messageOf(cause)} ${hint}`, cause);
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
  if (isCondenserDefinition(value)) {
    const { asksModel } = value;
    return { exportName, asksModel, create: (options, host) => value.create(options, asksModel ? host : {}) };
  }
  if (isCondenser(value))
    return { exportName, asksModel: false, create: (options) => asItIs(value, options, exportName) };
  if (exportName !== 'default' || typeof value !== 'function') return undefined;
  const factory = value as (options: Readonly<Record<string, unknown>>) => Condenser | Promise<Condenser>;
  // A plain factory takes the model among its options, if it takes one.
  return { exportName, asksModel: true, create: (options, { llm }) => factory({ ...options, llm }) };
}

function isCondenser(value: unknown): value is Condenser {
  return typeof value === 'object' && value !== null && 'condense' in value && typeof value.condense === 'function';
}

/** @throws {@link HarnessError} `conform` for options: nothing could read them. */
function asItIs(condenser: Condenser, options: Readonly<Record<string, unknown>>, exportName: string): Condenser {
  const [name] = Object.keys(options);
  if (name === undefined) return condenser;
  const reason = `cannot take the option '${name}', because it is a finished condenser`;
  throw conformError(
    `The export '${exportName}' ${reason}. Leave out --options, or export a function that takes them.`,
  );
}

/** The result of one rule of a contract. */
export interface RuleResult {
  /** The number of the rule in its contract; the first is 1. */
  readonly number: number;
  readonly rule: string;
  readonly passed: boolean;
  /** What the condenser did, and on which log. Absent for a rule that it keeps. */
  readonly counterexample?: string;
  /** The seed of the generated log on which the rule was broken, if it was a generated one. */
  readonly seed?: number;
}

/** Options of the contracts. */
export interface ContractRun {
  readonly seeds: readonly number[] | undefined;
  /** The number of the only rule to run. @defaultValue all */
  readonly rule: number | undefined;
  /** A rule that takes longer fails. Unit: milliseconds. */
  readonly timeoutMs: number;
  readonly onRule: (result: RuleResult) => void;
}

type DeclaredRule = readonly [name: string, run: () => Promise<void>];

/** What a contract takes from the harness. */
interface ContractHost {
  readonly seeds: readonly number[] | undefined;
  readonly test: (name: string, check: () => Promise<void>) => void;
}

/** Runs a contract, one rule after another. @param declare - declares the rules of the contract */
export async function runContract(
  declare: (host: ContractHost) => void,
  { seeds, rule: only, timeoutMs, onRule }: ContractRun,
): Promise<readonly RuleResult[]> {
  const rules: DeclaredRule[] = [];
  declare({ seeds, test: (name, check) => rules.push([name, check]) });
  const results: RuleResult[] = [];
  for (const [index, [name, check]] of rules.entries()) {
    const number = index + 1;
    if (only !== undefined && only !== number) continue;
    const problem = await problemOf(check, timeoutMs);
    const rule = name.replace(/ \(seeds [\d, ]*\)$/, '');
    const result = { number, rule, passed: problem === undefined, ...counterexampleOf(problem) };
    results.push(result);
    onRule(result);
  }
  return results;
}

function counterexampleOf(problem: string | undefined): Pick<RuleResult, 'counterexample' | 'seed'> {
  if (problem === undefined) return {};
  const [, seed] = /\bseed (\d+)/.exec(problem) ?? [];
  return { counterexample: problem, ...(seed === undefined ? {} : { seed: Number(seed) }) };
}

/** Returns what is wrong, as the rule says it; `undefined` if the rule is kept. */
async function problemOf(check: () => Promise<void>, timeoutMs: number): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`the rule did not end within ${timeoutMs} ms`), timeoutMs);
  });
  try {
    return await Promise.race([check().then(() => undefined), late]);
  } catch (error) {
    return messageOf(error);
  } finally {
    clearTimeout(timer);
  }
}

const lengths = [60, 200, 600, 2_000];

/** Returns the shortest of some generated logs on which the condenser acts; the longest if it acts on none. */
export async function logToActOn(
  create: () => Condenser | Promise<Condenser>,
  context: CondenserContractOptions['context'],
): Promise<readonly Event[]> {
  let events: readonly Event[] = [];
  for (const length of lengths) {
    ({ events } = randomLog({ seed: 1, length, decisions: false }));
    const log = new ViewProjection();
    for (const event of events) log.append(event);
    const before = log.view;
    try {
      const view = await condenseUntilSettled(await create(), log, context);
      if (log.view.condensations.length > 0 || view !== before) return events;
    } catch {
      // The contract says what is wrong with it.
      return events;
    }
  }
  return events;
}
