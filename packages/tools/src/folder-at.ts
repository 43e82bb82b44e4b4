import { lstat } from 'node:fs/promises';
import { UnusableFileError } from './errors.js';
import type { Workspace } from './workspace.js';

/** The absolute path of a folder, without links. @throws {@link UnusableFileError} when there is none. */
export async function folderAt(workspace: Workspace, requested: string): Promise<string> {
  const { real, isFolder } = await fileOrFolderAt(workspace, requested);
  if (real === undefined) throw new UnusableFileError(requested, `There is no folder '${requested}'.`);
  if (!isFolder) throw new UnusableFileError(requested, `'${requested}' is a file. Use read_file.`);
  return real;
}

/** The absolute path of a file or folder, without links; undefined if there is nothing. */
export async function fileOrFolderAt(
  workspace: Workspace,
  requested: string,
): Promise<{ readonly real: string | undefined; readonly isFolder: boolean }> {
  const real = await workspace.resolveLinks(requested);
  const status = await lstat(real).catch(() => undefined);
  return { real: status === undefined ? undefined : real, isFolder: status?.isDirectory() === true };
}
