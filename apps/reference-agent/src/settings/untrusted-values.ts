import type { Settings, SettingsValues } from './settings.js';
import { setAt, settingKeys, valueAt } from './settings-keys.js';

/** What a project's configuration comes to before the user trusts it. */
export interface UntrustedPart {
  /** The values that only narrow what the agent may do. */
  readonly counted: SettingsValues;
  /** The names of the settings that do not count. */
  readonly ignored: readonly string[];
}

type Narrows = (value: unknown, below: Settings) => boolean;

const always: Narrows = () => true;
const modes = ['off', 'auto', 'required'];

/**
 * The settings that can narrow, and when they do. What is not in this list never counts: a setting that is new is untrusted
 * until somebody thought of it.
 */
const narrowing: Readonly<Record<string, Narrows>> = {
  'permissions.deny': always,
  'permissions.ask': always,
  maxCost: (value, { maxCost }) => Number(value) <= (maxCost ?? Infinity),
  maxSteps: (value, { maxSteps }) => Number(value) <= maxSteps,
  'sandbox.mode': (value, { sandbox }) => modes.indexOf(String(value)) >= modes.indexOf(sandbox.mode),
  'sandbox.network': (value) => value === false,
};

/**
 * Divides the values of a project that is not trusted.
 *
 * @param below - what holds without the project
 */
export function untrustedPart(values: SettingsValues, below: Settings): UntrustedPart {
  const counted: Record<string, unknown> = {};
  const ignored: string[] = [];
  for (const { name, path } of settingKeys) {
    const value = valueAt(values, path);
    if (value === undefined) continue;
    if (narrowing[name]?.(value, below) === true) setAt(counted, path, value);
    else if (value !== valueAt(below, path) && !isEmptyList(value)) ignored.push(name);
  }
  return { counted, ignored };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
