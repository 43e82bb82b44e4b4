import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { HostPlugin } from './host.js';
import type { Scenario } from './scenarios.js';

/** A built plugin in a folder of its own. */
export interface BuiltPlugin {
  /** Its manifest, and in `dist` what it was built to. */
  readonly folder: string;
  /** What the host loads. */
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Builds a plugin, with a fault in its condenser or without, for a host to load: in a folder outside of the workspace,
 * where it finds no package.
 */
export async function buildPlugin(plugin: HostPlugin, plugins: string, fault: Scenario['fault']): Promise<BuiltPlugin> {
  const source = path.join(plugins, plugin.folder);
  const folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-plugin-'));
  await promisify(execFile)('npx', ['tsup', '--out-dir', path.join(folder, 'dist')], {
    cwd: source,
    env: { ...process.env, ...(fault === undefined ? {} : { PALIMPSEST_PLUGIN_FAULT: fault }) },
  });
  await cp(path.join(source, 'package.json'), path.join(folder, 'package.json'));
  return { folder, path: plugin.pathIn(folder), remove: () => rm(folder, { recursive: true, force: true }) };
}
