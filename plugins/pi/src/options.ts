import { field } from '@palimpsest/messages';
import type { HostSessionsOptions } from '@palimpsest/plugin-kit';
import type { PiApi } from './pi-api.js';

/** The options of the plugin: the environment, then `palimpsest` in pi's settings. What is not of the right kind does not count. */
export type PluginOptions = Pick<HostSessionsOptions<unknown>, 'isOn' | 'maxTokens' | 'preset'>;

const presetNames = [
  'balanced',
  'cheapest',
  'remembersMost',
  'noCache',
] as const satisfies readonly PluginOptions['preset'][];

export function optionsOf(pi: PiApi, environment: NodeJS.ProcessEnv = process.env): PluginOptions {
  const all: unknown = pi.getSettings?.();
  const settings = field(all, 'palimpsest');
  const isOff = environment['PALIMPSEST'] === 'off' || settings === false || field(settings, 'on') === false;
  const maxTokens = [environment['PALIMPSEST_MAX_TOKENS'], field(settings, 'maxTokens')]
    .map(Number)
    .find((size) => size > 0);
  const preset = presetNames.find((name) => name === field(settings, 'preset'));
  return { isOn: !isOff, maxTokens, preset };
}
