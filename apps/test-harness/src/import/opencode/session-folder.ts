import type { Dirent } from 'node:fs';

const databaseName = /^opencode(?:-[\w.-]+)?\.db$/;

/** True for the name of opencode's database: `opencode.db`, or `opencode-<channel>.db`. */
export function isDatabaseName(name: string): boolean {
  return databaseName.test(name);
}

/** What stands beside the database and holds no session that it does not hold, or no session at all. */
const besideDatabase: ReadonlySet<string> = new Set([
  'auth.json',
  'bin',
  'log',
  'mcp-auth.json',
  'repos',
  'snapshot',
  'storage',
  'tool-output',
  'worktree',
]);

/**
 * The entries of a folder that may hold sessions. Beside opencode's database its other files are left out, also the storage
 * folder, which the database has replaced. In a storage folder only `session` is listed: its files lead to the others. Any
 * other folder is returned unchanged.
 */
export function opencodeParts(entries: readonly Dirent[]): readonly Dirent[] {
  if (entries.some((entry) => isDatabaseName(entry.name)))
    return entries.filter((entry) => !besideDatabase.has(entry.name) && !/\.db-(?:wal|shm)$/.test(entry.name));
  const folders = new Set(entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name));
  if (folders.has('session') && folders.has('message') && folders.has('part'))
    return entries.filter((entry) => entry.name === 'session');
  return entries;
}
