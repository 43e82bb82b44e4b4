import { homedir } from 'node:os';
import { join } from 'node:path';
import { userOptions } from '@palimpsest/plugin-kit';
import type { UserOptions } from '@palimpsest/plugin-kit';

/** The options that stand beside the plugin's name in `opencode.json`. */
export interface PluginOptions extends UserOptions {
  /** False: nothing is condensed until a session is turned on by `/palimpsest`. @defaultValue true */
  readonly isOn: boolean;
  /** The folder of the plugin's own log. @defaultValue `palimpsest/opencode` in the user's folder for data */
  readonly directory: string;
}

/** Reads options. What is wrong with one leaves its default. */
export function optionsFrom(given: unknown, env: Readonly<Record<string, string | undefined>>): PluginOptions {
  const { preset, maxTokens, enabled, directory } = (given ?? {}) as Readonly<Record<string, unknown>>;
  const data = env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share');
  return {
    ...userOptions({ preset, maxTokens }),
    isOn: enabled !== false,
    directory: typeof directory === 'string' ? directory : join(data, 'palimpsest', 'opencode'),
  };
}
