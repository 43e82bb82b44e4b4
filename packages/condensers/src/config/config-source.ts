import { parse, TomlError } from 'smol-toml';
import { didYouMean, InvalidCondenserConfigError } from '../authoring/definition/errors.js';
import { joined, shown } from '../authoring/definition/options.js';

/** A configuration before it is validated in detail. */
export interface ConfigSource {
  /** The description of the condenser, and its place. Undefined if the configuration names none. */
  readonly condenser: { readonly value: unknown; readonly path: string } | undefined;
  /** True if the host's default is used where no condenser is named. */
  readonly enableDefaultCondenser: boolean | undefined;
}

const subject = 'configuration';
const flags = ['enableDefaultCondenser', 'enable_default_condenser'];
/** The section in which OpenHands V0 has the flag. Its other names are for other programs. */
const core = 'core';
const sections = ['condenser', 'enableDefaultCondenser'];

/**
 * Reads a configuration: an object, JSON text (it begins with `{`) or TOML text. The configuration is the description of a
 * condenser (`type` or `use`), or holds one under `condenser`. The flag stands beside `condenser`, or in the section `core`.
 *
 * @throws {@link InvalidCondenserConfigError} when the text does not parse, or when it has an unknown section.
 */
export function readConfig(config: unknown, otherSections: readonly string[]): ConfigSource {
  const value = typeof config === 'string' ? parsed(config) : (config ?? {});
  if (!isTable(value)) throw wrong('config', `must be an object, JSON text or TOML text, not ${shown(value)}`);
  if (value['type'] !== undefined || value['use'] !== undefined) {
    return { condenser: { value, path: '' }, enableDefaultCondenser: undefined };
  }
  for (const name of Object.keys(value)) {
    if (name === 'condenser' || name === core || flags.includes(name) || otherSections.includes(name)) continue;
    const known = [...sections, 'type', 'use'];
    throw wrong(
      name,
      `is not known.${didYouMean(name, known)} A configuration has: ${known.join(', ')}; sections of other programs (\`otherSections\`): ${otherSections.join(', ') || 'nothing'}`,
    );
  }
  return {
    condenser: value['condenser'] === undefined ? undefined : { value: value['condenser'], path: 'condenser' },
    enableDefaultCondenser: flagOf(value),
  };
}

/** Returns true for an object with names and values; false for a list, a date or null. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function flagOf(value: Readonly<Record<string, unknown>>): boolean | undefined {
  const given = [...flagsIn(value, ''), ...flagsIn(coreOf(value), core)];
  const [first, second] = given;
  if (first === undefined) return undefined;
  if (second !== undefined) throw wrong(second.name, `says the same as '${first.name}': give one of them`);
  if (typeof first.flag !== 'boolean') throw wrong(first.name, `must be true or false, not ${shown(first.flag)}`);
  return first.flag;
}

function flagsIn(
  table: Readonly<Record<string, unknown>>,
  path: string,
): { readonly name: string; readonly flag: unknown }[] {
  return flags.flatMap((name) => (table[name] === undefined ? [] : [{ name: joined(path, name), flag: table[name] }]));
}

/** Returns the section `core`. What looks like a misspelt flag in it is an error: it would be without effect. */
function coreOf(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const section = value[core] ?? {};
  if (!isTable(section)) throw wrong(core, `must be a table, not ${shown(section)}`);
  for (const name of Object.keys(section)) {
    const meant = didYouMean(name, flags);
    if (meant !== '' && !flags.includes(name)) throw wrong(joined(core, name), `is not known.${meant}`);
  }
  return section;
}

function parsed(text: string): unknown {
  // No TOML document begins with a brace, and every JSON description does.
  const isJson = text.trimStart().startsWith('{');
  try {
    return isJson ? JSON.parse(text) : parse(text);
  } catch (cause) {
    const [message = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    const place = cause instanceof TomlError ? ` at line ${cause.line}, column ${cause.column}` : '';
    throw wrong('config', `is not ${isJson ? 'JSON' : 'TOML'}${place}: ${message}`, cause);
  }
}

function wrong(option: string, reason: string, cause?: unknown): InvalidCondenserConfigError {
  return new InvalidCondenserConfigError({ condenser: subject, option, reason, cause });
}
