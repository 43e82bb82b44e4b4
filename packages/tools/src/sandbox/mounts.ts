import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';

/** Whether a path is a folder or stands in it, by its words. */
export function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

/** What kind of thing stands at a path. */
export async function kindOf(file: string): Promise<'folder' | 'file' | 'link' | 'other' | undefined> {
  const status = await lstat(file).catch(() => undefined);
  if (status === undefined) return undefined;
  if (status.isSymbolicLink()) return 'link';
  if (status.isDirectory()) return 'folder';
  return status.isFile() ? 'file' : 'other';
}

/** The folders of one repository that git works in, and what in them makes git run programs or look elsewhere. */
export interface GitFolders {
  readonly writable: readonly string[];
  /** Read-only; `whenMissing` is made first, so that a command cannot. */
  readonly guarded: readonly { readonly path: string; readonly whenMissing?: 'folder' | 'file' }[];
}

/** The git folders of a workspace. A worktree's `.git` counts only if the repository that it names knows of it. */
export async function gitFolders(root: string): Promise<GitFolders> {
  const git = path.join(root, '.git');
  const kind = await kindOf(git);
  if (kind === 'folder') return { writable: [git], guarded: [...guardsOf(git), ...(await guardsOfModules(git))] };
  if (kind !== 'file') return { writable: [], guarded: [] };
  const own = { path: git };
  const folder = await worktreeFolder(git);
  const common = folder === undefined ? undefined : path.resolve(folder, '../..');
  if (folder === undefined || common === undefined) return { writable: [], guarded: [own] };
  const links = ['commondir', 'gitdir', 'config.worktree'].map((name) => ({ path: path.join(folder, name) }));
  return { writable: [common], guarded: [own, ...guardsOf(common), ...links] };
}

function guardsOf(git: string): GitFolders['guarded'] {
  return [
    { path: path.join(git, 'hooks'), whenMissing: 'folder' },
    { path: path.join(git, 'config') },
    { path: path.join(git, 'config.worktree') },
    // Git would read its configuration elsewhere.
    { path: path.join(git, 'commondir'), whenMissing: 'file' },
  ];
}

async function guardsOfModules(git: string): Promise<GitFolders['guarded']> {
  const folder = path.join(git, 'modules');
  const names = await readdir(folder).catch(() => []);
  return names.flatMap((name) =>
    guardsOf(path.join(folder, name)).filter(({ whenMissing }) => whenMissing === undefined),
  );
}

/** `<repository>/worktrees/<name>`, if it names this `.git` in turn: a project's own file could name any folder. */
async function worktreeFolder(git: string): Promise<string | undefined> {
  const named = /^gitdir: (.+)\n?$/.exec(await textOf(git))?.[1];
  if (named === undefined) return undefined;
  const folder = await realpath(path.resolve(path.dirname(git), named)).catch(() => undefined);
  if (folder === undefined || path.basename(path.dirname(folder)) !== 'worktrees') return undefined;
  const back = (await textOf(path.join(folder, 'gitdir'))).trim();
  return back === git ? folder : undefined;
}

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
