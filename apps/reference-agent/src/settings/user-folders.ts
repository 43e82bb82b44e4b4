import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import envPaths from 'env-paths';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the file with the user's settings: `$XDG_CONFIG_HOME/palimpsest/config.toml` where the variable is set; else
 * `~/.config/palimpsest/config.toml`, or where the system has the configuration of programs.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/ by which relative paths in the variable are ignored
 */
export function userSettingsFile(env: Environment): string {
  return join(userFolder(env), 'config.toml');
}

/** Returns the record of the folders that the user trusts, beside the user's settings. */
export function trustFile(env: Environment): string {
  return join(userFolder(env), 'trusted-folders.json');
}

/** Returns the file of the rules that the user made when a call was asked about, beside the user's settings. */
export function savedRulesFile(env: Environment): string {
  return join(userFolder(env), 'kept-rules.json');
}

/** Returns the folder of the user's configuration. */
export function userFolder(env: Environment): string {
  return folderOf('XDG_CONFIG_HOME', env, 'config', '.config');
}

/**
 * Returns the folder of what can be made anew: `$XDG_CACHE_HOME/palimpsest` where the variable is set; else `~/.cache/palimpsest`, or where the
 * system has it.
 */
export function cacheFolder(env: Environment): string {
  return folderOf('XDG_CACHE_HOME', env, 'cache', '.cache');
}

/**
 * Returns the folder of all sessions of the user: `$XDG_STATE_HOME/palimpsest/sessions`, where the variable is set; else
 * `~/.local/state/palimpsest/sessions`, or what the system has for the data of programs.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/ by which relative paths in the variable are ignored
 */
export function sessionsFolder(env: Environment): string {
  return join(folderOf('XDG_STATE_HOME', env, 'data', '.local/state'), 'sessions');
}

/** The folder of a variable; else the one that the system has for a kind of files, or one below the user's. */
function folderOf(variable: string, env: Environment, kind: 'config' | 'cache' | 'data', usual: string): string {
  const named = env[variable];
  if (named !== undefined && isAbsolute(named)) return join(named, 'palimpsest');
  const hasItsOwn = process.platform === 'darwin' || process.platform === 'win32';
  if (hasItsOwn) return envPaths('palimpsest', { suffix: '' })[kind];
  // `HOME` is empty in some containers.
  return join(homedir() || userInfo().homedir, usual, 'palimpsest');
}

/**
 * Returns the folders that no command and no rule for all files may change: the user's configuration with the record of trust, all sessions, and the
 * compiled code of this program.
 */
export function guardedFolders(env: Environment): readonly string[] {
  return [userFolder(env), sessionsFolder(env), cacheFolder(env)];
}
