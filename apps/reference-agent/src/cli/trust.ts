import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { secretMask } from '@palimpsest/agent';
import { printableLine } from '@palimpsest/terminal';
import { apiKeys } from '../agent/models.js';
import type { CliContext } from '../context.js';
import { mergeSettings } from '../settings/load-settings.js';
import { settingsInToml, TrustError } from '../settings/settings-file.js';
import { defaultSettings } from '../settings/settings.js';
import { shownServer } from '@palimpsest/mcp/config';
import type { McpServerSettings } from '@palimpsest/mcp/config';
import type { SettingsValues } from '../settings/settings.js';
import {
  distrustFolder,
  findProjectFile,
  projectSettingsPath,
  readTrust,
  trustFolder,
  untrustedPart,
} from '../settings/trust.js';
import type { ProjectFile } from '../settings/trust.js';
import { trustFile } from '../settings/user-folders.js';
import { withoutSecrets } from './config.js';

/** Options of `palimpsest trust`, as the command line gives them. */
export interface TrustFlags {
  readonly remove?: boolean;
  readonly list?: boolean;
}

/**
 * Trusts a project's configuration and prints the values that apply from now on, or takes the trust back, or lists what
 * is trusted.
 *
 * @throws {@link TrustError} when there is nothing to trust, or the record cannot be used; `InvalidSettingsError` when the
 * project's configuration is wrong.
 */
export async function trustCommand(
  folder: string | undefined,
  { remove, list }: TrustFlags,
  { env, cwd, stdout }: Pick<CliContext, 'env' | 'cwd' | 'stdout'>,
): Promise<void> {
  const record = trustFile(env);
  const print = (line: string) => stdout.write(`${printableLine(line)}\n`);
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

/**
 * Returns the values of a project's configuration that apply because the user trusts it: a line for each value, with
 * the paths that result. Possible keys are not shown. Characters that nobody would see are: an escape, a line break, a
 * space without a width.
 */
export function trustedValues(values: SettingsValues, { folder, file }: ProjectFile): readonly string[] {
  const { ignored } = untrustedPart(values, defaultSettings);
  const { origins } = mergeSettings([{ origin: 'project', folder, file, values }]);
  return origins
    .filter(({ name, origin }) => origin === 'project' && ignored.some((each) => isPart(name, each)))
    .map(({ name, value }) => `${name} = ${visible(JSON.stringify(shownValue(name, value)))}`);
}

function isPart(name: string, setting: string): boolean {
  return name === setting || name.startsWith(`${setting}.`);
}

function shownValue(name: string, value: unknown): unknown {
  if (!name.startsWith('mcp.servers.')) return withoutSecrets(value);
  const server = value as McpServerSettings;
  const { env: references = {}, headers, ...others } = shownServer(server);
  // A variable can change what a program does, so whoever trusts it has to see it.
  const variables = Object.entries(server.env ?? {}).map(([key, text]) => {
    const isShown = references[key] === text || !mayBeSecret(key);
    return [key, isShown ? withoutSecrets(text) : '[secret]'];
  });
  return {
    ...(withoutSecrets(others) as object),
    ...(headers === undefined ? {} : { headers }),
    ...(server.env === undefined ? {} : { env: Object.fromEntries(variables) as object }),
  };
}

function mayBeSecret(name: string): boolean {
  return /key|token|secret|credential|auth|pass|cookie|session/i.test(name);
}

/** Control and format characters, and every space but the usual one, as JSON writes them. */
function visible(json: string): string {
  return json.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (character) =>
    character.split('').map(unicodeEscape).join(''),
  );
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
