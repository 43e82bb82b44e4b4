import { readFileSync } from 'node:fs';
import path from 'node:path';

export const workspaceRoot = path.resolve(import.meta.dirname, '../../..');

/** The folder of installed agents: `.ci/agents`, or the one that a variable names. */
export const agentsFolder = path.join(
  path.resolve(workspaceRoot, process.env['PALIMPSEST_AGENTS'] ?? '.ci/agents'),
  'node_modules',
);

/** Returns the version of an agent's package that is installed. */
export function installedVersion(name: string): string {
  const manifest = readFileSync(path.join(agentsFolder, name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
