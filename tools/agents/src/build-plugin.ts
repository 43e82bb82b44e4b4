import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from './agents-folder.js';
import type { Host } from './host.js';
import type { Scenario } from './scenarios.js';

/** A built plugin in a folder of its own. */
export interface BuiltPlugin {
  /** What the host loads. */
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Builds a plugin, with a fault in its condenser or without, for a host to load: in a copy of the plugin's folder,
 * outside of the workspace, where it finds no package.
 */
export async function buildPlugin(host: Host, fault: Scenario['fault']): Promise<BuiltPlugin> {
  const source = path.join(workspaceRoot, 'plugins', host.pluginFolder);
  await promisify(execFile)('npx', ['tsup'], {
    cwd: source,
    env: { ...process.env, ...(fault === undefined ? {} : { PALIMPSEST_PLUGIN_FAULT: fault }) },
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-plugin-'));
  await cp(source, folder, {
    recursive: true,
    filter: (file) => !/\/(?:node_modules|src|test-support|out-tsc)$/.test(file),
  });
  if (fault !== undefined) await rm(path.join(source, 'dist'), { recursive: true, force: true });
  return { path: host.pluginPath(folder), remove: () => rm(folder, { recursive: true, force: true }) };
}
