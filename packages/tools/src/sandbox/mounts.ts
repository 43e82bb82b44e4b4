import { lstat, readFile, realpath } from 'node:fs/promises';
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

/** A place in a workspace that a command may write, or can only read. Later ones lie in earlier ones, or beside them. */
export interface Mount {
  readonly path: string;
  readonly access: 'write' | 'read';
  /** What is made when it is missing, so that a command cannot make it: a folder, or a file with this content. */
  readonly whenMissing?: 'folder' | { readonly content: string };
}

/**
 * How the git folders of a workspace are mounted: what in them makes git run programs or look elsewhere can only be read. A
 * worktree's `.git` counts only if the repository that it names knows of it.
 */
export async function gitMounts(root: string): Promise<readonly Mount[]> {
  const git = path.join(root, '.git');
  const kind = await kindOf(git);
  if (kind === 'folder') return mountsOf(git);
  if (kind !== 'file') return [];
  const own: Mount = { path: git, access: 'read' };
  const folder = await worktreeFolder(git);
  if (folder === undefined) return [own];
  const links = await existing(['commondir', 'gitdir', 'config.worktree'].map((name) => path.join(folder, name)));
  return [own, ...(await mountsOf(path.resolve(folder, '../..'))), { path: folder, access: 'write' }, ...links];
}

async function mountsOf(git: string): Promise<readonly Mount[]> {
  const guarded: readonly Mount[] = [
    { path: path.join(git, 'hooks'), access: 'read', whenMissing: 'folder' },
    { path: path.join(git, 'config'), access: 'read', whenMissing: { content: '' } },
    { path: path.join(git, 'config.worktree'), access: 'read', whenMissing: { content: '' } },
    // Git would read its configuration elsewhere. This is what it assumes without the file, and no repository has it.
    { path: path.join(git, 'commondir'), access: 'read', whenMissing: { content: '.\n' } },
    // Other repositories with their own configuration. As a whole: what is mounted in a folder does not keep it from being renamed.
    ...(await existing(['modules', 'worktrees'].map((name) => path.join(git, name)))),
  ];
  const links: string[] = [];
  for (const each of guarded) if ((await kindOf(each.path)) === 'link') links.push(each.path);
  if (links.length === 0) return [{ path: git, access: 'write' }, ...guarded];
  // A mount lies at the end of a link, and the link itself could be replaced.
  const ends = await Promise.all(links.map((link) => realpath(link).catch(() => git)));
  return [git, ...ends.filter((end) => end !== git)].map((each) => ({ path: each, access: 'read' }));
}

async function existing(files: readonly string[]): Promise<readonly Mount[]> {
  const kinds = await Promise.all(files.map(kindOf));
  return files.filter((_, index) => kinds[index] !== undefined).map((each) => ({ path: each, access: 'read' }));
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

/** Longer files are none of git's that name a folder. Unit: bytes. */
const longestText = 65_536;

/** The text of a short regular file, else none: a pipe would be waited for. */
export async function textOf(file: string): Promise<string> {
  const status = await lstat(file).catch(() => undefined);
  if (status?.isFile() !== true || status.size > longestText) return '';
  return readFile(file, 'utf8').catch(() => '');
}
