import type { z } from 'zod';
import { InvalidSettingsError } from './errors.js';
import type { SettingsProblem } from './errors.js';
import { keyPlace } from './key-place.js';
import { didYouMean } from './nearest-name.js';
import { settingsSchema } from './settings.js';
import type { SettingsValues } from './settings.js';
import { namesAt, tablesOfNames } from './settings-keys.js';

/**
 * The values in the text of a configuration file.
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
  placeOf: (path: readonly string[]) => Pick<SettingsProblem, 'line' | 'column'> | undefined = () => undefined,
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
  placeOf: (path: readonly string[]) => Pick<SettingsProblem, 'line' | 'column'> | undefined,
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

/** What may be meant by a name that is none: other programs have the table of MCP servers in other places. */
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
