import { createHash } from 'node:crypto';
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { z } from 'zod';
import { InvalidSettingsError, TrustError } from './settings-file.js';
import { setAt, settingKeys, valueAt } from './settings.js';
import type { Settings, SettingsValues } from './settings.js';
import { bytesOfFile, writeUserFile } from './user-files.js';

/** The place of a project's configuration, below the project's folder. */
export const projectSettingsPath = join('.palimpsest', 'config.toml');

/** A project's configuration as it was found. */
export interface ProjectFile {
  /** The project's folder, with no link in it. */
  readonly folder: string;
  readonly file: string;
  readonly bytes: Uint8Array;
  /** Of the bytes: SHA-256 in hexadecimal digits. */
  readonly digest: string;
}

/**
 * Finds the project's configuration: that of the folder, else that of the root of the repository in which the folder lies. Undefined if
 * there is none.
 *
 * @throws {@link InvalidSettingsError} when it cannot be read, or is a link that leads out of the project.
 */
export async function findProjectFile(folder: string): Promise<ProjectFile | undefined> {
  const real = await realpath(folder);
  const root = await repositoryRoot(real);
  for (const project of new Set([real, root ?? real])) {
    const found = await projectFileIn(project);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function projectFileIn(folder: string): Promise<ProjectFile | undefined> {
  const file = join(folder, projectSettingsPath);
  try {
    const bytes = await bytesOfFile(file);
    if (bytes === undefined) return undefined;
    if (!(await realpath(file)).startsWith(folder.endsWith(sep) ? folder : folder + sep)) {
      throw new Error('it is a link that leads out of the project');
    }
    return { folder, file, bytes, digest: createHash('sha256').update(bytes).digest('hex') };
  } catch (cause) {
    throw new InvalidSettingsError(file, [{ reason: `cannot be read: ${(cause as Error).message}` }], { cause });
  }
}

/** The nearest folder, upwards, that holds `.git`: a folder, or a file in a worktree. */
async function repositoryRoot(folder: string): Promise<string | undefined> {
  const exists = await lstat(join(folder, '.git')).then(
    () => true,
    () => false,
  );
  if (exists) return folder;
  return dirname(folder) === folder ? undefined : repositoryRoot(dirname(folder));
}

const recordSchema = z.strictObject({
  version: z.literal(1),
  folders: z.record(z.string(), z.strictObject({ digest: z.string(), since: z.string() })),
});

/** The folders that the user trusts, by their real paths, each with the digest of the configuration that was trusted. */
export type TrustedFolders = z.output<typeof recordSchema>['folders'];

/** @throws {@link TrustError} when the record cannot be read. */
export async function readTrust(record: string): Promise<TrustedFolders> {
  try {
    const bytes = await bytesOfFile(record);
    if (bytes === undefined) return {};
    return recordSchema.parse(JSON.parse(bytes.toString('utf8'))).folders;
  } catch (cause) {
    throw new TrustError(
      `The record of trusted folders, '${record}', cannot be read: repair it, or remove it and trust anew.`,
      {
        cause,
      },
    );
  }
}

/** Returns true if the user trusted this folder with this very configuration. */
export function isTrusted(folders: TrustedFolders, { folder, digest }: ProjectFile): boolean {
  return Object.hasOwn(folders, folder) && folders[folder]?.digest === digest;
}

/** Trusts a folder with the configuration that it has now. @throws {@link TrustError} when the record cannot be written. */
export async function trustFolder(record: string, { folder, digest }: ProjectFile): Promise<void> {
  const folders = await readTrust(record);
  await writeTrust(record, { ...folders, [folder]: { digest, since: new Date().toISOString() } });
}

/** Trusts a folder no longer. False if it was not trusted. @throws {@link TrustError} when the record cannot be written. */
export async function distrustFolder(record: string, folder: string): Promise<boolean> {
  const { [folder]: removed, ...others } = await readTrust(record);
  if (removed === undefined) return false;
  await writeTrust(record, others);
  return true;
}

async function writeTrust(record: string, folders: TrustedFolders): Promise<void> {
  try {
    await writeUserFile(record, { version: 1, folders });
  } catch (cause) {
    throw new TrustError(`The record of trusted folders, '${record}', cannot be written: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** The effect of a project's configuration before the user trusts it. */
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
