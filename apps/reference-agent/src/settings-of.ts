import type { Workspace } from '@palimpsest/tools';
import type { RunFlags } from './run-flags.js';
import { loadSettings } from './settings/load-settings.js';
import type { LoadedSettings } from './settings/load-settings.js';

/** The settings of a run in a workspace, and what the user should know of them. @throws the errors of `loadSettings`. */
export async function settingsOf(
  { model, baseUrl, smallModel, toolCalls, maxCost, maxSteps, config }: Partial<RunFlags>,
  { root }: Workspace,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LoadedSettings> {
  const flags = { model, baseUrl, smallModel, toolCalls, maxCost, maxSteps };
  return loadSettings({ folder: root, env, flags, file: config });
}
