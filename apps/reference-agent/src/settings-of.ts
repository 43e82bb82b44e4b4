import type { Workspace } from '@palimpsest/tools';
import type { RunFlags } from './run-flags.js';
import { defaultSettings } from './settings/settings.js';
import type { Settings } from './settings/settings.js';

/** The settings of a run in a workspace, and what the user should know of them. */
export async function settingsOf(
  flags: Partial<RunFlags>,
  _workspace: Workspace,
  _env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly settings: Settings; readonly notes: readonly string[] }> {
  const { model, baseUrl, smallModel, maxCost, maxSteps = defaultSettings.maxSteps } = flags;
  return { settings: { ...defaultSettings, model, baseUrl, smallModel, maxCost, maxSteps }, notes: [] };
}
