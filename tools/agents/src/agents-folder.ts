import path from 'node:path';

export const workspaceRoot = path.resolve(import.meta.dirname, '../../..');

/** The folder that `.ci/agents` installs. */
export const agentsFolder = path.join(workspaceRoot, '.ci/agents/node_modules');
