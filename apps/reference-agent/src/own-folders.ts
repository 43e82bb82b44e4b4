import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { cacheFolder, sessionsFolder, userFolder } from './settings/user-folders.js';

/**
 * What no command and no rule for all files may change: the user's configuration with the record of trust, all sessions, and the
 * compiled code of this program.
 */
export function ownFolders(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return [userFolder(env), sessionsFolder(env), cacheFolder(env)];
}

/** Patterns of the paths of a workspace that are, or lie in, one of these folders. */
export function patternsInside(root: string, folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => {
    const path = relative(root, realPath(folder)).split(sep);
    // The workspace itself lies in it.
    if (path.every((name) => name === '' || name === '..')) return ['**'];
    return path[0] === '..' ? [] : [path.join('/'), `${path.join('/')}/**`];
  });
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
