import { nearName, PalimpsestError } from '@palimpsest/events';
import type { z } from 'zod';
import { namesAt, settingsSchema, tablesOfNames } from './settings.js';
import type { SettingsValues } from './settings.js';

/**
 * Reads the values in the text of a configuration file.
 *
 * @param file - for errors
 * @throws {@link InvalidSettingsError} when the text is not TOML, or has names or values that the schema does not have.
 */
export async function settingsInToml(bytes: Uint8Array, file: string): Promise<SettingsValues> {
  const text = textOf(bytes, file);
  return checkedSettings(await tableOf(text, file), file, (path) => keyPlace(text, path));
}

/** @throws {@link InvalidSettingsError} when the table has names or values that the schema does not have. */
export function checkedSettings(
  table: unknown,
  file: string,
  placeOf: (path: readonly string[]) => TextPlace | undefined = () => undefined,
): SettingsValues {
  const checked = settingsSchema.safeParse(table);
  if (checked.success) return withOneSwitch(checked.data, file, placeOf);
  const problems = checked.error.issues.flatMap((issue) =>
    found(issue).map(({ path, reason }) => ({ reason, ...placeOf(path.map(String)) })),
  );
  throw new InvalidSettingsError(
    file,
    problems.toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0)),
  );
}

/** The values with the switch for the default condenser under our name. @throws {@link InvalidSettingsError} when it is there twice. */
function withOneSwitch(
  { enable_default_condenser: v0, core, ...values }: z.output<typeof settingsSchema>,
  file: string,
  placeOf: (path: readonly string[]) => TextPlace | undefined,
): SettingsValues {
  const stated = [
    { path: ['enableDefaultCondenser'], value: values.enableDefaultCondenser },
    { path: ['enable_default_condenser'], value: v0 },
    { path: ['core', 'enable_default_condenser'], value: core?.enable_default_condenser },
  ].filter(({ value }) => value !== undefined);
  const [first, second] = stated;
  if (second !== undefined) {
    const reason = `'${second.path.join('.')}' says the same as '${first?.path.join('.')}': give one of them`;
    throw new InvalidSettingsError(file, [{ reason, ...placeOf(second.path) }]);
  }
  return first === undefined ? values : { ...values, enableDefaultCondenser: first.value };
}

interface Found {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

function found(issue: z.core.$ZodIssue): readonly Found[] {
  const path = issue.path as readonly (string | number)[];
  const name = path.join('.');
  if (issue.code === 'invalid_key')
    return issue.issues.map(({ message }) => ({ path, reason: `'${name}': ${message}` }));
  if (issue.code !== 'unrecognized_keys') return [{ path, reason: `'${name}': ${issue.message}` }];
  const known = namesAt(path) ?? [];
  return issue.keys.map((key) => ({
    path: [...path, key],
    reason: `'${[...path, key].join('.')}' is no setting.${meantIn(path, key, known)}`,
  }));
}

/** A hint at the name that may be meant: other programs have the table of MCP servers in other places. */
function meantIn(path: Found['path'], key: string, known: readonly string[]): string {
  const isOfTable = (table: string): boolean => table.split('.').slice(0, -1).join('.') === path.join('.');
  const slip = didYouMean(key, path.length === 0 ? [...known, ...tablesOfNames] : known);
  const table = path.length === 0 ? undefined : tablesOfNames.find(isOfTable);
  return slip || (table === undefined ? ` There are: ${known.join(', ')}.` : ` Did you mean '${table}.${key}'?`);
}

async function tableOf(text: string, file: string): Promise<unknown> {
  // Most runs have no file.
  const { parse, TomlError } = await import('smol-toml');
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const [message = ''] = cause.message.split('\n');
    const { line, column } = cause;
    throw new InvalidSettingsError(file, [{ reason: `is not TOML: ${message}`, line, column }], { cause });
  }
}

function textOf(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new InvalidSettingsError(file, [{ reason: 'is not text in UTF-8' }], { cause });
  }
}

/** One thing that is wrong in a configuration. */
export interface SettingsProblem {
  /** The fault, and what to do about it. */
  readonly reason: string;
  /** Counted from 1. Absent if the place is not known. */
  readonly line?: number | undefined;
  /** Counted from 1. */
  readonly column?: number | undefined;
}

/** A configuration cannot be used: its file cannot be read, is not TOML, or has names or values that are none. */
export class InvalidSettingsError extends PalimpsestError {
  static override get typeName(): string {
    return 'InvalidSettingsError';
  }

  /** The file, or a word for what is none, such as the command line. */
  readonly file: string;
  readonly problems: readonly SettingsProblem[];

  constructor(file: string, problems: readonly SettingsProblem[], options?: { readonly cause?: unknown }) {
    super(
      'invalid-settings',
      problems.map((problem) => `${place(file, problem)}: ${problem.reason}`).join('\n'),
      options,
    );
    this.file = file;
    this.problems = problems;
  }
}

/** The record of trusted folders cannot be used. */
export class TrustError extends PalimpsestError {
  static override get typeName(): string {
    return 'TrustError';
  }

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('trust', message, options);
  }
}

/** In the form in which terminals and editors make a link of it. */
function place(file: string, { line, column }: SettingsProblem): string {
  return line === undefined ? file : `${file}:${line}:${column ?? 1}`;
}

type TextPlace = Pick<SettingsProblem, 'line' | 'column'>;

/**
 * Finds the place where a TOML text states a key, or the table in which it stands if the key is written inside a value. Undefined if neither is
 * found. The text is valid TOML.
 */
function keyPlace(toml: string, path: readonly string[]): TextPlace | undefined {
  let found: TextPlace | undefined;
  let depth = 0;
  let table: readonly string[] = [];
  let quotes: string | undefined;
  for (const [index, text] of toml.split('\n').entries()) {
    if (quotes !== undefined) {
      if (text.includes(quotes)) quotes = undefined;
      continue;
    }
    const header = /^\s*\[\[?([^\]]+)\]/.exec(text);
    const assignment = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(text);
    const stated = header?.[1] ?? assignment?.[1];
    if (stated !== undefined) {
      const key = keysOf(stated);
      if (header !== null) table = key;
      const whole = header === null ? [...table, ...key] : key;
      const common = commonLength(whole, path);
      if (common > depth && (common === path.length || common === whole.length)) {
        depth = common;
        found = { line: index + 1, column: text.indexOf(stated) + 1 };
      }
    }
    // A text over several lines can look like keys.
    const opened = /("""|''')/.exec(text)?.[1];
    if (opened !== undefined && text.split(opened).length % 2 === 0) quotes = opened;
  }
  return found;
}

function keysOf(stated: string): readonly string[] {
  return [...stated.matchAll(/[\w-]+|"([^"]*)"|'([^']*)'/g)].map(([text, double, single]) => double ?? single ?? text);
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const different = a.findIndex((key, index) => key !== b[index]);
  return different === -1 ? a.length : different;
}

/** Returns ` Did you mean 'x'?` for the known name that was most likely meant. Otherwise empty. */
function didYouMean(name: string, known: readonly string[]): string {
  const near = nearName(name, known);
  return near === undefined ? '' : ` Did you mean '${near}'?`;
}
