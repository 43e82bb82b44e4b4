import { isAbsolute, join } from 'node:path';
import envPaths from 'env-paths';
import { homeFolder, isWithoutXdg } from '../settings/user-folders.js';

/**
 * The folder of all sessions of the user: `$XDG_STATE_HOME/palimpsest/sessions`, where the variable is set; else
 * `~/.local/state/palimpsest/sessions`, or what the system has for the data of programs.
 *
 * @see https://specifications.freedesktop.org/basedir-spec/latest/ by which relative paths in the variable are ignored
 */
export function sessionsFolder(env: Readonly<Record<string, string | undefined>>): string {
  const state = env['XDG_STATE_HOME'];
  if (state !== undefined && isAbsolute(state)) return join(state, 'palimpsest', 'sessions');
  if (isWithoutXdg()) return join(envPaths('palimpsest', { suffix: '' }).data, 'sessions');
  return join(homeFolder(), '.local', 'state', 'palimpsest', 'sessions');
}
