import { field } from '@palimpsest/messages';
import { userOptions } from '@palimpsest/plugin-kit';
import type { UserOptions } from '@palimpsest/plugin-kit';
import type { PiApi } from './pi-api.js';

/** The options of the plugin: the environment, then `palimpsest` in pi's settings. */
export interface PluginOptions extends UserOptions {
  readonly isOn: boolean;
}

export function optionsOf(pi: PiApi, environment: NodeJS.ProcessEnv = process.env): PluginOptions {
  const all: unknown = pi.getSettings?.();
  const settings = field(all, 'palimpsest');
  const isOff = environment['PALIMPSEST'] === 'off' || settings === false || field(settings, 'on') === false;
  const maxTokens = environment['PALIMPSEST_MAX_TOKENS'] ?? field(settings, 'maxTokens');
  return { isOn: !isOff, ...userOptions({ preset: field(settings, 'preset'), maxTokens }) };
}
