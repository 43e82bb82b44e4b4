import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { InvalidSettingsError } from './errors.js';
import { keptRules } from './kept-rules.js';
import { findProjectFile } from './project-file.js';
import type { ProjectFile } from './project-file.js';
import { bytesOfFile } from './regular-file.js';
import type { SettingsValues } from './settings.js';
import { checkedSettings, settingsInToml } from './settings-file.js';
import { mergeSettings } from './settings-layers.js';
import type { Layer, MergedSettings } from './settings-layers.js';
import { isTrusted, readTrust } from './trusted-folders.js';
import { untrustedPart } from './untrusted-values.js';
import { keptRulesFile, trustFile, userSettingsFile } from './user-folders.js';

/** Options of {@link loadSettings}. */
export interface LoadSettingsOptions {
  /** The folder to work in. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the command line says. @defaultValue nothing */
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
  /** What the user should know before the run begins. */
  readonly notes: readonly string[];
  /** Calls that the user has allowed in this folder by an answer. They are among the origins, and not in the settings. */
  readonly kept: { readonly file: string; readonly rules: readonly string[] };
}

/**
 * The settings of a run in a folder: flags above the project's file above the user's file above the defaults. Lists add up. Of
 * the file of a project that the user does not trust only what narrows counts. The rules of the user's answers stand beside them.
 *
 * @throws {@link InvalidSettingsError} when a file cannot be read or is wrong; {@link TrustError} when the record of trusted
 * folders cannot be read.
 */
export async function loadSettings(options: LoadSettingsOptions): Promise<LoadedSettings> {
  const file = keptRulesFile(options.env);
  const folder = await realpath(options.folder).catch(() => options.folder);
  const [loaded, rules] = await Promise.all([loadLayers(options), keptRules(file, folder)]);
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
