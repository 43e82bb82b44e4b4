import { homedir } from 'node:os';
import { join } from 'node:path';
import type { PresetName } from '@palimpsest/condensers';

/** What a user can set beside the plugin's name in `opencode.json`. */
export interface PluginOptions {
  /** What it keeps, and what that costs: `cheapest`, `balanced`, `remembersMost`, `noCache`. @defaultValue balanced */
  readonly preset: PresetName | undefined;
  /** The most that a request may hold. Unit: tokens. @defaultValue where opencode would begin a compaction of its own */
  readonly maxTokens: number | undefined;
  /** False: nothing is condensed until a session is turned on by `/palimpsest`. @defaultValue true */
  readonly isOn: boolean;
  /** The folder of the plugin's own log. @defaultValue `palimpsest/opencode` in the user's folder for data */
  readonly directory: string;
}

const presets: ReadonlySet<unknown> = new Set<PresetName>(['balanced', 'cheapest', 'remembersMost', 'noCache']);

/** Reads options. What is wrong with one leaves its default. */
export function optionsFrom(given: unknown, env: Readonly<Record<string, string | undefined>>): PluginOptions {
  const { preset, maxTokens, enabled, directory } = (given ?? {}) as Readonly<Record<string, unknown>>;
  const data = env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share');
  return {
    preset: presets.has(preset) ? (preset as PresetName) : undefined,
    maxTokens: typeof maxTokens === 'number' && maxTokens > 0 ? maxTokens : undefined,
    isOn: enabled !== false,
    directory: typeof directory === 'string' ? directory : join(data, 'palimpsest', 'opencode'),
  };
}
