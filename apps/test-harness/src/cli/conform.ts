import { PalimpsestError } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import type { LLM } from '@palimpsest/llm-adapters';
import { coloursFor, linePrinter, printableLine, printableJson } from '@palimpsest/terminal';
import type { Condenser } from '@palimpsest/view';
import { condenserContract, viewPropertyContract } from '@palimpsest/view/testing';
import type { NamedLog } from '@palimpsest/view/testing';
import { conformError, logToActOn, runContract, testedPackage } from '../conform/contract.js';
import type { ContractRun, PackageCondenser, RuleResult, TestedPackage } from '../conform/contract.js';
import { messageOf } from '../harness-error.js';
import { readSessions } from '../import/index.js';
import { recordedSession } from '../measure/recorded-session.js';
import { textCounter } from '../measure/tokens.js';
import { stubSummarizer } from '../replay/stub-summarizer.js';
import type { Output } from './inspect.js';

/** Options of `palimpsest-harness conform`, as the command line gives them. */
export interface ConformCommandOptions {
  /** The options of the condenser, as JSON. */
  readonly options?: string;
  /** The only export to test. */
  readonly export?: string;
  /** Exports that are view properties. */
  readonly property: readonly string[];
  /** Logs for the contracts. */
  readonly log: readonly string[];
  readonly seeds?: readonly number[];
  readonly rule?: number;
  readonly contextWindow?: number;
  readonly timeout: number;
  readonly json: boolean;
}

/** The results of one export. */
export interface ConformReport {
  readonly export: string;
  /** The contract of condensers, or of view properties. */
  readonly contract: 'condenser' | 'view-property';
  /** The condenser's own name. */
  readonly condenser?: string;
  readonly rules: readonly RuleResult[];
}

/**
 * Runs the contracts against a package and prints the result of each rule. Resolves to the exit code: 0 if every rule is
 * kept, else 1.
 *
 * @throws {@link HarnessError} `conform` when there is nothing to test, or it cannot be made; the errors of the package's options.
 */
export async function conformCommand(
  nameOrFolder: string,
  options: ConformCommandOptions,
  output: Output = process.stdout,
): Promise<number> {
  const tested = await testedPackage(nameOrFolder, process.cwd());
  const given = optionsOf(options.options);
  const condensers = chosen(tested, options);
  const logs = await logsOf(options.log);
  const reports: ConformReport[] = [];
  const colours = coloursFor(output);
  const printLine = linePrinter(output);
  const print = (text: string): Promise<void> => (options.json ? Promise.resolve() : printLine(text));
  const run = (exportName: string): ContractRun => ({
    seeds: options.seeds,
    rule: options.rule,
    timeoutMs: options.timeout * 1_000,
    onRule: (result) => {
      const mark = result.passed ? colours.green('✓') : colours.red('✗');
      void print(`  ${mark} ${String(result.number).padStart(2)}  ${result.rule}`);
      if (result.passed) return;
      void print(`        ${printableLine(result.counterexample ?? '')}`);
      void print(`        repeat: ${repetition(nameOrFolder, exportName, result, options)}`);
    },
  });
  for (const condenser of condensers) {
    const { exportName } = condenser;
    const { create, createHanging, name } = await factories(condenser, given, exportName);
    await print(colours.bold(`${tested.name} ${exportName}: condenser '${printableLine(name)}'`));
    const context = options.contextWindow === undefined ? {} : { contextWindow: options.contextWindow };
    const [first] = logs;
    const actsOn = first?.events ?? (await logToActOn(create, context));
    const contract = { create, createHanging, actsOn, logs, context };
    const rules = await runContract((host) => condenserContract({ ...contract, ...host }), run(exportName));
    reports.push({ export: exportName, contract: 'condenser', condenser: name, rules });
  }
  for (const exportName of options.property) {
    await print(colours.bold(`${tested.name} ${exportName}: view property`));
    const property = tested.property(exportName);
    const rules = await runContract((host) => viewPropertyContract({ property, logs, ...host }), run(exportName));
    reports.push({ export: exportName, contract: 'view-property', rules });
  }
  const all = reports.flatMap(({ rules }) => rules);
  const failed = all.filter(({ passed }) => !passed).length;
  if (options.rule !== undefined && all.length === 0) throw conformError(`There is no rule ${options.rule}.`);
  await print(`${all.length - failed} rules kept, ${failed} broken`);
  if (options.json) await printLine(printableJson({ package: tested.name, reports }));
  return failed === 0 ? 0 : 1;
}

/** Returns the condensers to test. */
function chosen(tested: TestedPackage, options: ConformCommandOptions): readonly PackageCondenser[] {
  const { name, condensers } = tested;
  const names = condensers.map(({ exportName }) => exportName).join(', ');
  if (options.export !== undefined) {
    const found = condensers.filter(({ exportName }) => exportName === options.export);
    if (found.length > 0) return found;
    throw conformError(`'${name}' exports no condenser '${options.export}'. Condensers are: ${names || 'none'}.`);
  }
  if (options.property.length > 0) return [];
  if (condensers.length === 0)
    throw conformError(
      `'${name}' exports no condenser. Export a condenser (an object with a 'condense' method), what defineCondenser() returns, or by default a function that returns a condenser.`,
    );
  if (condensers.length > 1 && options.options !== undefined)
    throw conformError(`'${name}' exports several condensers (${names}); say with --export which one has the options.`);
  return condensers;
}

function optionsOf(json: string | undefined): Readonly<Record<string, unknown>> {
  if (json === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw conformError(`--options is not JSON: ${messageOf(cause)}`, cause);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw conformError(`--options must be a JSON object, such as '{"maxSize": 20}'.`);
}

interface Factories {
  readonly create: () => Condenser | Promise<Condenser>;
  /** A condenser whose model never answers, if it asks one. */
  readonly createHanging: (() => Condenser | Promise<Condenser>) | undefined;
  readonly name: string;
}

/** Makes the condenser once, so that wrong options are told before a rule runs. */
async function factories(
  condenser: PackageCondenser,
  options: Readonly<Record<string, unknown>>,
  exportName: string,
): Promise<Factories> {
  const create = (): Condenser | Promise<Condenser> =>
    condenser.create(options, { llm: stubSummarizer(textCounter()).llm });
  let name: string;
  try {
    ({ name } = await create());
  } catch (cause) {
    if (PalimpsestError.isInstance(cause)) throw cause;
    const reason = messageOf(cause);
    throw conformError(`the export '${exportName}' failed to make a condenser: ${reason}`, cause);
  }
  const createHanging = condenser.asksModel ? () => condenser.create(options, { llm: silent }) : undefined;
  return { create, createHanging, name: typeof name === 'string' ? name : '' };
}

/** A model that answers only to an abort. */
const silent: LLM = {
  model: 'silent',
  complete: ({ signal }) =>
    new Promise((_resolve, reject) => {
      const end = (): void => reject(signal?.reason as Error);
      if (signal?.aborted === true) end();
      else signal?.addEventListener('abort', end, { once: true });
    }),
};

async function logsOf(paths: readonly string[]): Promise<readonly NamedLog[]> {
  const logs: NamedLog[] = [];
  for (const path of paths) {
    for await (const session of readSessions(path)) {
      const events: readonly Event[] = recordedSession(session.events).events;
      logs.push({ name: session.name, events });
    }
  }
  if (paths.length > 0 && logs.length === 0) throw conformError(`There is no session in ${paths.join(', ')}.`);
  return logs;
}

/** Returns the command that runs the broken rule again, alone. */
function repetition(
  nameOrFolder: string,
  exportName: string,
  { number, seed }: RuleResult,
  options: ConformCommandOptions,
): string {
  const isProperty = options.property.includes(exportName);
  const words = ['palimpsest-harness', 'conform', nameOrFolder, isProperty ? '--property' : '--export', exportName];
  if (options.options !== undefined) words.push('--options', options.options);
  for (const log of options.log) words.push('--log', log);
  if (options.contextWindow !== undefined) words.push('--context-window', String(options.contextWindow));
  words.push('--rule', String(number));
  if (seed !== undefined) words.push('--seeds', String(seed));
  else if (options.seeds !== undefined) words.push('--seeds', options.seeds.join(','));
  return words.map(quoted).join(' ');
}

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${printableLine(word).replaceAll("'", `'\\''`)}'`;
}
