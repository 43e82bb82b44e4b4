import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { McpServerSettings } from '@palimpsest/mcp/config';
import { defaultSettings } from './settings.js';
import type { Settings, SettingsValues } from './settings.js';
import { pathSettings, setAt, settingKeys, valueAt } from './settings-keys.js';
import type { SettingKey } from './settings-keys.js';

/** Where a value of the settings is from. `kept`: from an answer of the user that became a rule. */
export type Origin = 'default' | 'user' | 'project' | 'kept' | 'flag';

/** The values of one origin. */
export interface Layer {
  readonly origin: Origin;
  /** The file, for a layer that is one. */
  readonly file?: string;
  /** Paths in the values are relative to it. */
  readonly folder: string;
  readonly values: SettingsValues;
}

/** One value of the settings with its origin: of a list, one of its items. */
export interface SettingOrigin {
  /** As it is written in messages: `sandbox.network`. */
  readonly name: string;
  readonly value: unknown;
  readonly origin: Origin;
  readonly file?: string | undefined;
}

/** What layers come to. */
export interface MergedSettings {
  readonly settings: Settings;
  /** For every setting that has a value, in the order of the schema; one for each item of a list. */
  readonly origins: readonly SettingOrigin[];
}

/** Puts layers together, the lowest first, above the defaults. */
export function mergeSettings(layers: readonly Layer[]): MergedSettings {
  const all: readonly Layer[] = [
    { origin: 'default', folder: '', values: defaultSettings as SettingsValues },
    ...layers,
  ];
  const settings: Record<string, unknown> = {};
  const origins: SettingOrigin[] = [];
  for (const { name, path, isList, isByName } of settingKeys) {
    if (isByName) {
      const named = namedValues(all, { name, path });
      setAt(settings, path, Object.fromEntries(named.map((each) => [each.name.slice(name.length + 1), each.value])));
      origins.push(...named);
      continue;
    }
    const stated = all.flatMap((layer) => {
      const value = valueAt(layer.values, path);
      if (value === undefined) return [];
      const { origin, file } = layer;
      const items = isList ? (value as readonly string[]) : [value];
      return items.map((item) => ({ name, value: resolved(name, item, layer.folder), origin, file }));
    });
    const inForce = isList ? stated.filter(isFirstOfItsValue) : stated.slice(-1);
    if (isList)
      setAt(
        settings,
        path,
        inForce.map(({ value }) => value),
      );
    else if (inForce.length > 0) setAt(settings, path, inForce[0]?.value);
    origins.push(...inForce);
  }
  const condenserFolder = all.findLast(({ values }) => values.condenser !== undefined)?.folder;
  // Each setting has the type of the schema, and those without a default are optional in both types.
  return { settings: { ...(settings as unknown as Settings), condenserFolder }, origins };
}

/** The values of a table of names: of each name the highest layer's, in the order in which names are first stated. */
function namedValues(
  layers: readonly Layer[],
  { name, path }: Pick<SettingKey, 'name' | 'path'>,
): readonly SettingOrigin[] {
  const found = new Map<string, SettingOrigin>();
  for (const { values, origin, file, folder } of layers) {
    const table = valueAt(values, path) as Readonly<Record<string, McpServerSettings>> | undefined;
    for (const [key, server] of Object.entries(table ?? {})) {
      const value = server.cwd === undefined ? server : { ...server, cwd: absolute(server.cwd, folder) };
      found.set(key, { name: `${name}.${key}`, value, origin, file });
    }
  }
  return [...found.values()];
}

function isFirstOfItsValue({ value }: SettingOrigin, index: number, all: readonly SettingOrigin[]): boolean {
  return all.findIndex((other) => other.value === value) === index;
}

function resolved(name: string, value: unknown, folder: string): unknown {
  if (!pathSettings.includes(name) || typeof value !== 'string') return value;
  return absolute(value, folder);
}

function absolute(path: string, folder: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : resolve(folder, path);
}
