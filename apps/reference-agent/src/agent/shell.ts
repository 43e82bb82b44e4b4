import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { environmentWithoutSecrets, secretMask, secretsOfEnvironment } from '@palimpsest/agent';
import type { SecretMask } from '@palimpsest/agent';
import { openSandbox, SandboxUnavailableError } from '@palimpsest/tools';
import type { CommandSettings, Sandbox, Workspace } from '@palimpsest/tools';
import { apiKeys } from './models.js';
import { guardedFolders } from '../settings/user-folders.js';
import type { Settings } from '../settings/settings.js';

/** Options of {@link openShell}. */
export interface ShellOptions {
  readonly workspace: Workspace;
  readonly settings: Pick<Settings, 'sandbox'>;
  readonly session: { readonly folder: string; readonly outputs: string };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The settings by which commands run, and the secrets that are hidden in their output. */
export interface Shell {
  readonly settings: CommandSettings;
  readonly secrets: SecretMask;
  /** Remarks for the user before the run begins. */
  readonly notes: readonly string[];
  /** Ends what commands left running. */
  close(): Promise<void>;
}

/**
 * Prepares where commands run: in a sandbox if the settings want one and one works here. Secrets of the environment are not passed on
 * to commands, and masked wherever they appear.
 *
 * @param folders - further folders that commands may read
 * @param given - further secrets, by name: of variables, or of the configuration
 * @throws {@link SandboxUnavailableError} when the settings require a sandbox and none works.
 */
export async function openShell(
  { workspace, settings, session, env }: ShellOptions,
  folders: readonly string[] = [],
  given: Readonly<Record<string, string>> = {},
): Promise<Shell> {
  const secrets = secretMask(knownSecrets(env, given));
  const lifetime = new AbortController();
  const scratch = join(session.folder, 'scratch');
  const sandboxed = { ...settings.sandbox, readable: [...settings.sandbox.readable, ...folders] };
  // Who works on the configuration of all programs has our own in the workspace: it says what may run.
  const guarded = guardedFolders(env);
  const close = async (): Promise<void> => {
    lifetime.abort();
    await removeScratch(scratch);
  };
  try {
    const { sandbox, notes } = await sandboxFor(workspace, sandboxed, { env, scratch, guarded });
    return {
      settings: {
        env: commandVariables(env, given),
        sandbox,
        outputs: { directory: session.outputs },
        mask: secrets.stream,
        lifetime: lifetime.signal,
      },
      secrets,
      notes,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A command can make folders without permissions, and paths that are too long for Node to name. */
async function removeScratch(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(
    () =>
      new Promise<void>((resolve) => {
        const script = 'chmod -R u+rwx -- "$1"; exec rm -rf -- "$1"';
        execFile('/bin/sh', ['-c', script, 'sh', folder], () => resolve());
      }),
  );
}

/** Variables that npm sets for the package from which it started this program. The npm of a command would take them for its own. */
const ofOurStart = /^npm_(?!config_(?!local_prefix$|prefix$|global_prefix$))|^INIT_CWD$|^NODE_CHANNEL_/;

function commandVariables(
  env: ShellOptions['env'],
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const all = Object.entries(environmentWithoutSecrets(env));
  return Object.fromEntries(all.filter(([name]) => !ofOurStart.test(name) && given[name] === undefined));
}

/**
 * Returns the secrets of an environment by their names. Keys of providers count at half the length at which others do. One whose name holds
 * its value is a placeholder.
 *
 * @param given - further ones, by name. @defaultValue none
 */
export function knownSecrets(
  env: ShellOptions['env'],
  given: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const all = Object.entries({ ...given, ...secretsOfEnvironment(env), ...apiKeys(env) });
  return Object.fromEntries(all.filter(([, value]) => !all.some(([name]) => name.includes(value))));
}

async function sandboxFor(
  workspace: Workspace,
  { mode, network, readable, writable }: Settings['sandbox'],
  own: { readonly env: ShellOptions['env']; readonly scratch: string; readonly guarded: readonly string[] },
): Promise<{ readonly sandbox?: Sandbox; readonly notes: readonly string[] }> {
  const open =
    'They can reach what you can: your files, the network, and the environment of this process with its keys.';
  if (mode === 'off') return { notes: [`Commands run without a sandbox, as sandbox.mode = "off" says. ${open}`] };
  const check = await openSandbox(workspace, { network, readable, writable, ...own });
  if (check.works) return { sandbox: check.sandbox, notes: [] };
  if (mode === 'required') throw new SandboxUnavailableError(check.reason);
  return { notes: [`Commands run without a sandbox. ${check.reason} ${open}`] };
}
