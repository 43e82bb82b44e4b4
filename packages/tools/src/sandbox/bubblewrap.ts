import { lstat, readFile, realpath, mkdir, readlink, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SandboxUnavailableError } from './sandbox.js';
import type { Sandbox, SandboxOptions } from './sandbox.js';

/** Returns true if a path is a folder or stands in it, by its words. */
export function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

/** The kind of an entry of the file system. */
async function kindOf(file: string): Promise<'folder' | 'file' | 'link' | 'other' | undefined> {
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
  /** The entry that is made when it is missing, so that a command cannot make it: a folder, or a file with this content. */
  readonly whenMissing?: 'folder' | { readonly content: string };
}

/**
 * Returns the mounts of the git folders of a workspace: what in them makes git run programs or look elsewhere can only be read. A
 * worktree's `.git` counts only if the repository that it names knows of it.
 */
async function gitMounts(root: string): Promise<readonly Mount[]> {
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

/** Returns the text of a short regular file, else none: a pipe would be waited for. */
async function textOf(file: string): Promise<string> {
  const status = await lstat(file).catch(() => undefined);
  if (status?.isFile() !== true || status.size > longestText) return '';
  return readFile(file, 'utf8').catch(() => '');
}

/** The programs and settings of a system. What is not there is left out. */
const systemFolders = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/gnu', '/sys'],
];

/** Addresses of servers that would act for a command outside, and folders that are closed. */
const unset = [
  ...['DBUS_SESSION_BUS_ADDRESS', 'SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GPG_AGENT_INFO', 'DISPLAY', 'WAYLAND_DISPLAY'],
  ...['XAUTHORITY', 'XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME'],
];

/** Returns the sandbox that bubblewrap makes of Linux namespaces. Whether it works is seen when it runs. */
export function bubblewrap(
  options: Omit<SandboxOptions, 'scratch'> & {
    readonly scratch?: string | undefined;
    readonly binary: string;
    readonly root: string;
    readonly home: string;
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): Sandbox {
  const { binary, root, home, network = false, readable = [], writable = [], guarded = [], scratch } = options;
  const absolute = (name: string): string =>
    /^~(?:\/|$)/.test(name) ? path.join(home, name.slice(1)) : path.resolve(root, name);
  const open = [...readable, ...writable].join(', ');
  return {
    description: `bubblewrap: home closed, network ${network ? 'open' : 'closed'}${open === '' ? '' : `, open: ${open}`}`,
    async around(program) {
      const all = await Promise.all([root, ...writable.map(absolute)].map((each) => realpath(each).catch(() => each)));
      const guards = await guardsOf(root, await ownMounts(root, guarded.map(absolute), all));
      const bound = (option: string, files: readonly string[]) => files.flatMap((file) => [option, file, file]);
      const args = [
        // Its own pid namespace: when its first process ends, the kernel ends all.
        ...['--unshare-all', ...(network ? ['--share-net'] : []), '--cap-drop', 'ALL'],
        ...(await mountsOfSystem()),
        ...['--proc', '/proc', '--dev', '/dev'],
        ...(await privateFolder('/tmp', scratch)),
        ...['--tmpfs', '/var/tmp'],
        ...(await privateFolder(home, scratch)),
        ...bound('--ro-bind-try', await programFolders(options)),
        ...(network ? bound('--ro-bind-try', await resolverFiles()) : []),
        ...bound('--ro-bind-try', readable.map(absolute)),
        ...bound('--bind-try', writable.map(absolute)),
        ...['--bind', root, root],
        ...guards.mounts.flatMap(({ path: file, access }) => [access === 'write' ? '--bind' : '--ro-bind', file, file]),
        ...unset.flatMap((name) => ['--unsetenv', name]),
        ...['--setenv', 'HOME', home, '--setenv', 'TMPDIR', '/tmp', '--chdir', root],
      ];
      return { program: [binary, ...args, '--', ...program], end: guards.end };
    },
  };
}

async function mountsOfSystem(): Promise<readonly string[]> {
  const mounts = systemFolders.map(async (folder) => {
    // On most systems `/bin` is a link into `/usr`.
    if ((await kindOf(folder)) === 'link') return ['--symlink', await readlink(folder), folder];
    return ['--ro-bind-try', folder, folder];
  });
  return (await Promise.all(mounts)).flat();
}

/** Returns an empty folder that can be written: for one command, or for as long as the scratch folder is there. */
async function privateFolder(folder: string, scratch: string | undefined): Promise<readonly string[]> {
  if (scratch === undefined) return ['--tmpfs', folder];
  const own = path.join(scratch, folder === '/tmp' ? 'tmp' : 'home');
  await mkdir(own, { recursive: true, mode: 0o700 });
  return ['--bind', own, folder];
}

/** Folders below home that hold more than programs: of them, only the folder of programs is open. */
const mixed = ['.', '.local', '.cargo', '.config'];

/**
 * Returns the folders of programs that `PATH` names outside of the system, such as those of a version manager in the home
 * folder.
 */
async function programFolders({
  root,
  home,
  env,
}: {
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Promise<readonly string[]> {
  const named = [...(env['PATH'] ?? '').split(path.delimiter), path.dirname(process.execPath)];
  const folders = new Set<string>();
  for (const folder of named.map((name) => path.normalize(name))) {
    const isKnown = [...systemFolders, root].some((known) => isInside(known, folder));
    if (!path.isAbsolute(folder) || isKnown || isInside(folder, home) || isInside(folder, root)) continue;
    const all = path.dirname(folder);
    const homes = [home, process.env['HOME'] ?? home];
    const holdsMore = ['/', ...homes.flatMap((each) => mixed.map((name) => path.join(each, name)))].includes(all);
    const isWide = holdsMore || [...homes, root].some((each) => isInside(all, each));
    folders.add(!isWide && /^(?:s?bin|shims)$/.test(path.basename(folder)) ? all : folder.replace(/\/$/, ''));
    if (folder === path.join(home, '.cargo/bin')) folders.add(path.join(home, '.rustup'));
  }
  return [...folders];
}

/** The file by which names of the network are looked up: often a link out of `/etc`. */
async function resolverFiles(): Promise<readonly string[]> {
  const file = await realpath('/etc/resolv.conf').catch(() => undefined);
  return file === undefined || isInside('/etc', file) ? [] : [file];
}

interface Guards {
  readonly mounts: readonly Mount[];
  end(): Promise<void>;
}

/** Returns the entries of a workspace that a command can read but not write, so that it changes nothing that runs or rules outside. */
async function guardsOf(root: string, own: readonly Mount[]): Promise<Guards> {
  const settings: Mount = { path: path.join(root, '.palimpsest'), access: 'read', whenMissing: 'folder' };
  if ((await kindOf(settings.path)) === 'link') {
    const problem = `'${settings.path}' is a symbolic link, and a command could put another one in its place.`;
    throw new SandboxUnavailableError(`${problem} Make it a folder, or remove it.`);
  }
  const made: (() => Promise<void>)[] = [];
  const mounts: Mount[] = [];
  for (const mount of [...(await gitMounts(root)), settings, ...own]) {
    const { path: file, whenMissing } = mount;
    const kind = await kindOf(file);
    if (kind === undefined && whenMissing === undefined) continue;
    // A place that is mounted must exist. It goes away with the command, or with the next one after a process that was killed.
    if (whenMissing === 'folder' && (kind === undefined || kind === 'folder')) {
      await mkdir(file, { recursive: true });
      // Only an empty one.
      made.push(() => rmdir(file));
    } else if (
      typeof whenMissing === 'object' &&
      (kind === undefined || (kind === 'file' && (await textOf(file)) === whenMissing.content))
    ) {
      await writeFile(file, whenMissing.content);
      made.push(() => rm(file));
    }
    mounts.push(mount);
  }
  const end = async (): Promise<void> => {
    for (const remove of made.reverse()) await remove().catch(() => undefined);
  };
  return { mounts, end };
}

/**
 * Returns the folders of the host's own that lie in what a command can write, with the folders on the way, which must not be
 * renamed.
 */
async function ownMounts(
  root: string,
  folders: readonly string[],
  writable: readonly string[],
): Promise<readonly Mount[]> {
  const mounts: Mount[] = [];
  for (const folder of folders) {
    const real = await realpath(folder).catch(() => folder);
    if (isInside(real, root)) {
      throw new SandboxUnavailableError(`The workspace '${root}' lies in '${real}', which commands must not change.`);
    }
    const above = writable.find((each) => isInside(each, real));
    if (above === undefined) continue;
    const names = path
      .relative(above, path.dirname(real))
      .split(path.sep)
      .filter((name) => name !== '');
    const between = names.map((_, index) => path.join(above, ...names.slice(0, index + 1)));
    mounts.push(...between.map((each): Mount => ({ path: each, access: 'write', whenMissing: 'folder' })));
    mounts.push({ path: real, access: 'read', whenMissing: 'folder' });
  }
  return mounts;
}
