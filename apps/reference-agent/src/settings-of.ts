import type { Workspace } from '@palimpsest/tools';
import type { RunFlags } from './context.js';
import { loadSettings } from './settings/load-settings.js';
import type { LoadedSettings } from './settings/load-settings.js';

/**
 * The settings of a run in a workspace, and what the user should know of them. With `isProvidersAddress` an address that a flag or a file
 * names is among the origins alone.
 *
 * @throws the errors of `loadSettings`.
 */
export async function settingsOf(
  { isProvidersAddress, config, ...given }: Partial<RunFlags>,
  { root }: Workspace,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LoadedSettings> {
  const { model, baseUrl, smallModel, toolCalls, maxCost, maxSteps, templateFolder, ...more } = given;
  const { maxOutputTokens, effort, retrySeconds } = more;
  const answers = { maxOutputTokens, effort, retrySeconds };
  const flags = { model, baseUrl, smallModel, toolCalls, maxCost, maxSteps, templateFolder, ...answers };
  const loaded = await loadSettings({ folder: root, env, flags, file: config });
  if (isProvidersAddress !== true) return loaded;
  const { baseUrl: _, ...settings } = loaded.settings;
  return { ...loaded, settings };
}

/** The address that the flags or a file name, also where the model is at its provider's own. Undefined if none does. */
export function namedAddress({ origins }: Pick<LoadedSettings, 'origins'>): string | undefined {
  const value = origins.findLast(({ name }) => name === 'baseUrl')?.value;
  return typeof value === 'string' ? value : undefined;
}
