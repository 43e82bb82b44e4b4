import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';

export const workspaceRoot = path.resolve(import.meta.dirname, '../../..');

/**
 * Runs a JavaScript file with this Node in the workspace root. The output is passed through.
 *
 * @param {string} file absolute, or relative to the workspace root
 * @param {readonly string[]} args
 * @returns {number} the exit code; 1 if a signal ended it
 */
export function runNode(file, args) {
  const { status, error } = spawnSync(process.execPath, [path.resolve(workspaceRoot, file), ...args], {
    cwd: workspaceRoot,
    stdio: 'inherit',
  });
  if (error) throw error;
  return status ?? 1;
}

/**
 * @param {readonly string[]} targets
 * @param {readonly string[]} options more arguments of `nx run-many`
 * @returns {number} the exit code of Nx
 */
export function runTargets(targets, options = []) {
  return runNode(createRequire(import.meta.url).resolve('nx/bin/nx.js'), ['run-many', '-t', ...targets, ...options]);
}
