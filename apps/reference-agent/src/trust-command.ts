import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { secretMask } from '@palimpsest/agent';
import { onOneLine } from '@palimpsest/terminal';
import { apiKeys } from './model-choice.js';
import { TrustError } from './settings/errors.js';
import { findProjectFile, projectSettingsPath } from './settings/project-file.js';
import type { ProjectFile } from './settings/project-file.js';
import { settingsInToml } from './settings/settings-file.js';
import { distrustFolder, readTrust, trustFolder } from './settings/trusted-folders.js';
import { trustedValues } from './settings/trusted-values.js';
import { trustFile } from './settings/user-folders.js';

/** Options of `palimpsest trust`, as the command line gives them. */
export interface TrustFlags {
  readonly remove?: boolean;
  readonly list?: boolean;
}

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdout: { write(text: string): unknown };
}

/**
 * Trusts a project's configuration, and prints what counts from now on; trusts it no longer, or lists what is trusted.
 *
 * @throws {@link TrustError} when there is nothing to trust, or the record cannot be used; `InvalidSettingsError` when the
 * project's configuration is wrong.
 */
export async function trustCommand(
  folder: string | undefined,
  { remove, list }: TrustFlags,
  { env, cwd, stdout }: Surroundings,
): Promise<void> {
  const record = trustFile(env);
  const print = (line: string) => stdout.write(`${onOneLine(line)}\n`);
  if (list === true) {
    const folders = Object.entries(await readTrust(record)).sort();
    for (const [trusted, { since }] of folders) print(`${trusted} (since ${since.slice(0, 10)})`);
    if (folders.length === 0) print('No folder is trusted.');
    return;
  }
  const asked = resolve(cwd, folder ?? '');
  if (remove === true) {
    const removed = await distrusted(record, asked);
    if (removed === undefined)
      throw new TrustError(`'${asked}' is not trusted. Those that are: palimpsest trust --list`);
    print(`${removed} is trusted no longer.`);
    return;
  }
  const found = await projectIn(asked);
  const values = await settingsInToml(found.bytes, found.file);
  await trustFolder(record, found);
  const counted = trustedValues(values, found);
  print(`${found.folder} is trusted, with ${found.file} as it is now: a change of the file asks again.`);
  print(counted.length === 0 ? 'Nothing in it needed trust.' : 'These settings in it count from now on:');
  const mask = secretMask(apiKeys(env));
  for (const line of counted) stdout.write(`  ${mask.text(line)}\n`);
}

async function projectIn(folder: string): Promise<ProjectFile> {
  const found = await findProjectFile(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw new TrustError(`There is no folder '${folder}'.`);
    throw error;
  });
  if (found !== undefined) return found;
  throw new TrustError(
    `There is nothing to trust: neither '${folder}' nor the root of its repository has ${projectSettingsPath}.`,
  );
}

/** A folder that is gone, or that another one was put in the place of, is named by the path under which it was trusted. */
async function distrusted(record: string, folder: string): Promise<string | undefined> {
  const real = await realpath(folder).catch(() => folder);
  const project = await findProjectFile(folder).catch(() => undefined);
  for (const path of new Set([real, folder, project?.folder ?? real])) {
    if (await distrustFolder(record, path)) return path;
  }
  return undefined;
}
