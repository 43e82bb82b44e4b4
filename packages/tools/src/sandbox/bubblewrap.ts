import { mkdir, readFile, readlink, realpath, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gitFolders, isInside, kindOf } from './mounts.js';
import type { Sandbox, SandboxOptions } from './sandbox.js';

/** The programs and settings of a system. What is not there is left out. */
const systemFolders = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/gnu', '/sys'],
];

/** Addresses of servers that would act for a command outside, and folders that are closed. */
const unset = [
  ...['DBUS_SESSION_BUS_ADDRESS', 'SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'GPG_AGENT_INFO', 'DISPLAY', 'WAYLAND_DISPLAY'],
  ...['XAUTHORITY', 'XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME'],
];

/** The sandbox that bubblewrap makes of Linux namespaces. Whether it works is seen when it runs. */
export function bubblewrap(
  options: Omit<SandboxOptions, 'scratch'> & {
    readonly scratch?: string | undefined;
    readonly binary: string;
    readonly root: string;
    readonly home: string;
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): Sandbox {
  const { binary, root, home, network = false, readable = [], writable = [], scratch } = options;
  const absolute = (name: string): string =>
    /^~(?:\/|$)/.test(name) ? path.join(home, name.slice(1)) : path.resolve(root, name);
  const open = [...readable, ...writable].join(', ');
  return {
    description: `bubblewrap: home closed, network ${network ? 'open' : 'closed'}${open === '' ? '' : `, open: ${open}`}`,
    async around(program) {
      const guards = await guardsOf(root);
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
        ...bound('--bind', guards.writable),
        ...bound('--ro-bind', guards.readOnly),
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

/** An empty folder that can be written: for one command, or for as long as the scratch folder is there. */
async function privateFolder(folder: string, scratch: string | undefined): Promise<readonly string[]> {
  if (scratch === undefined) return ['--tmpfs', folder];
  const own = path.join(scratch, folder === '/tmp' ? 'tmp' : 'home');
  await mkdir(own, { recursive: true, mode: 0o700 });
  return ['--bind', own, folder];
}

/** Folders below home that hold more than programs: of them, only the folder of programs is open. */
const mixed = ['.', '.local', '.cargo', '.config'];

/** The folders of programs that `PATH` names outside of the system, such as those of a version manager in the home folder. */
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

/** Where names of the network are looked up: often a link out of `/etc`. */
async function resolverFiles(): Promise<readonly string[]> {
  const file = await realpath('/etc/resolv.conf').catch(() => undefined);
  return file === undefined || isInside('/etc', file) ? [] : [file];
}

interface Guards {
  readonly writable: readonly string[];
  readonly readOnly: readonly string[];
  end(): Promise<void>;
}

/** What in a workspace a command can read but not write, so that it changes nothing that runs or rules outside. */
async function guardsOf(root: string): Promise<Guards> {
  const { writable, guarded } = await gitFolders(root);
  const made: (() => Promise<void>)[] = [];
  const readOnly: string[] = [];
  for (const { path: file, whenMissing } of [
    ...guarded,
    { path: path.join(root, '.palimpsest'), whenMissing: 'folder' as const },
  ]) {
    const kind = await kindOf(file);
    if (kind === undefined && whenMissing === undefined) continue;
    // A place that is mounted must exist. It goes away with the command, or with the next one after a process that was killed.
    if (whenMissing === 'folder' && (kind === undefined || kind === 'folder')) {
      await mkdir(file, { recursive: true });
      // Only an empty one.
      made.push(() => rmdir(file));
    }
    if (whenMissing === 'file' && (kind === undefined || (await isOurs(file)))) {
      await writeFile(file, ownFolder);
      made.push(() => rm(file));
    }
    readOnly.push(file);
  }
  const end = async (): Promise<void> => {
    for (const remove of made) await remove().catch(() => undefined);
  };
  return { writable, readOnly, end };
}

/** Where a repository has its own configuration: what git assumes without the file. No repository has it. */
const ownFolder = '.\n';

async function isOurs(file: string): Promise<boolean> {
  return (await readFile(file, 'utf8').catch(() => '')) === ownFolder;
}
