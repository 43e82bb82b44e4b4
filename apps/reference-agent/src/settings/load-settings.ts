import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { checkedSettings, InvalidSettingsError, settingsInToml } from './settings-file.js';
import { defaultSettings, pathSettings, setAt, settingKeys, valueAt } from './settings.js';
import type { McpServerSettings } from '@palimpsest/mcp/config';
import type { SettingKey, Settings, SettingsValues } from './settings.js';
import { findProjectFile, isTrusted, readTrust, untrustedPart } from './trust.js';
import type { ProjectFile } from './trust.js';
import { bytesOfFile, savedRules } from './user-files.js';
import { savedRulesFile, trustFile, userSettingsFile } from './user-folders.js';

/** Options of {@link loadSettings}. */
export interface LoadSettingsOptions {
  /** The folder to work in. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The settings of the command line. @defaultValue none */
  readonly flags?: SettingsValues | undefined;
  /** A file that replaces the user's. @defaultValue the user's, if there is one */
  readonly file?: string | undefined;
}

/** The project's configuration of a run. */
export interface ProjectSettings extends Pick<ProjectFile, 'folder' | 'file'> {
  readonly isTrusted: boolean;
  /** The settings that do not count because the folder is not trusted. */
  readonly ignored: readonly string[];
}

/** The settings of a run. */
export interface LoadedSettings extends MergedSettings {
  /** The user's file, whether it exists or not. */
  readonly userFile: string;
  /** Undefined if the project has no configuration. */
  readonly project: ProjectSettings | undefined;
  /** Remarks for the user before the run begins. */
  readonly notes: readonly string[];
  /** Calls that the user has allowed in this folder by an answer. They are among the origins, and not in the settings. */
  readonly kept: { readonly file: string; readonly rules: readonly string[] };
}

/**
 * Loads the settings of a run in a folder: flags above the project's file above the user's file above the defaults. Lists add up. Of
 * the file of a project that the user does not trust only what narrows counts. The rules of the user's answers stand beside them.
 *
 * @throws {@link InvalidSettingsError} when a file cannot be read or is wrong; {@link TrustError} when the record of trusted
 * folders cannot be read.
 */
export async function loadSettings(options: LoadSettingsOptions): Promise<LoadedSettings> {
  const file = savedRulesFile(options.env);
  const folder = await realpath(options.folder).catch(() => options.folder);
  const [loaded, rules] = await Promise.all([loadLayers(options), savedRules(file, folder)]);
  const kept = rules.map((value) => ({ name: 'permissions.allow', value, origin: 'kept', file }) as const);
  return { ...loaded, origins: [...loaded.origins, ...kept], kept: { file, rules } };
}

async function loadLayers({ folder, env, flags, file }: LoadSettingsOptions): Promise<Omit<LoadedSettings, 'kept'>> {
  const userFile = file ?? userSettingsFile(env);
  const user = await layerOfUser(userFile, file !== undefined);
  const above: readonly Layer[] =
    flags === undefined ? [] : [{ origin: 'flag', folder, values: checkedSettings(flags, 'the command line') }];
  const found = await findProjectFile(folder);
  if (found === undefined) return { ...mergeSettings([...user, ...above]), userFile, project: undefined, notes: [] };
  const values = await settingsInToml(found.bytes, found.file);
  const trusted = isTrusted(await readTrust(trustFile(env)), found);
  const part = trusted ? { counted: values, ignored: [] } : untrustedPart(values, mergeSettings(user).settings);
  const project: Layer = { origin: 'project', file: found.file, folder: found.folder, values: part.counted };
  const { ignored } = part;
  return {
    ...mergeSettings([...user, project, ...above]),
    userFile,
    project: { folder: found.folder, file: found.file, isTrusted: trusted, ignored },
    notes: ignored.length === 0 ? [] : [noteOf(found, ignored)],
  };
}

async function layerOfUser(file: string, isNamed: boolean): Promise<readonly Layer[]> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await bytesOfFile(file);
    if (bytes === undefined && isNamed) throw new Error('there is no such file');
  } catch (cause) {
    throw new InvalidSettingsError(file, [{ reason: `cannot be read: ${(cause as Error).message}` }], { cause });
  }
  return bytes === undefined
    ? []
    : [{ origin: 'user', file, folder: dirname(file), values: await settingsInToml(bytes, file) }];
}

function noteOf({ file, folder }: ProjectFile, ignored: readonly string[]): string {
  return `${file} is not trusted, so these settings in it do not count: ${ignored.join(', ')}. Look at it; to trust it: palimpsest trust ${quoted(folder)}`;
}

/** For a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

/** The origin of a value of the settings. `kept`: from an answer of the user that became a rule. */
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
  /** The name of the key in messages: `sandbox.network`. */
  readonly name: string;
  readonly value: unknown;
  readonly origin: Origin;
  readonly file?: string | undefined;
}

/** The settings that layers come to, and their origins. */
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

/** Returns the address that the flags or a file name, also where the model is at its provider's own. Undefined if none does. */
export function namedAddress({ origins }: Pick<LoadedSettings, 'origins'>): string | undefined {
  const value = origins.findLast(({ name }) => name === 'baseUrl')?.value;
  return typeof value === 'string' ? value : undefined;
}
