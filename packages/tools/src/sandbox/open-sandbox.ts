import { execFile } from 'node:child_process';
import { access, constants, readlink, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { withoutTerminal } from '../process/environment.js';
import type { Workspace } from '../workspace/workspace.js';
import { bubblewrap, isInside } from './bubblewrap.js';
import type { Sandbox, SandboxCheck, SandboxOptions } from './sandbox.js';
import { SandboxUnavailableError } from './sandbox.js';

/**
 * Looks for a sandbox that works here, by running one: an installed one may be forbidden by the kernel or a container. In it a
 * command can write the workspace and nothing else, and read the system's programs and the folders of `PATH`. Home, other
 * folders, other processes, their sockets and the network are closed. `.git/hooks`, git's configuration and `.palimpsest` can
 * only be read: they would run, or widen what is allowed, outside. Linux only, with bubblewrap.
 *
 * @throws {@link SandboxUnavailableError} when `.palimpsest` is a symbolic link: it cannot be guarded, and a project must not
 *   decide that commands run without a sandbox
 */
export async function openSandbox(workspace: Workspace, options: SandboxOptions = {}): Promise<SandboxCheck> {
  const { env = process.env } = options;
  const { root } = workspace;
  if (process.platform !== 'linux')
    return failed(`The sandbox is bubblewrap, which exists for Linux, not for ${process.platform}.`);
  const home = env['HOME'] ?? homedir();
  const homes = [home, await realpath(home).catch(() => home)];
  if (homes.some((each) => isInside(root, each)))
    return failed(`The workspace ${root} holds the home folder, which a sandbox would close.`);
  const binary = await bubblewrapIn(env['PATH'] ?? '', root);
  if (binary === undefined) return failed('bubblewrap is not installed: there is no bwrap in PATH.');
  const known = { ...options, binary, root, home, env };
  const sandbox = bubblewrap(known);
  // The scratch folder is made by the first command.
  const problem = await problemOf(bubblewrap({ ...known, scratch: undefined }), root, options.network === true);
  return problem === undefined
    ? { works: true, sandbox }
    : failed(`bubblewrap (${binary}) does not work here: ${problem}`);
}

/**
 * Opens the same sandbox where no command may run outside of one.
 *
 * @throws {@link SandboxUnavailableError} when none works.
 */
export async function requireSandbox(workspace: Workspace, options?: SandboxOptions): Promise<Sandbox> {
  const check = await openSandbox(workspace, options);
  if (!check.works) throw new SandboxUnavailableError(check.reason);
  return check.sandbox;
}

function failed(reason: string): SandboxCheck {
  return { works: false, reason: /[.!?]$/.test(reason) ? reason : `${reason}.` };
}

/** Its place. One of the workspace does not count: a project must not bring the program that closes it off. */
async function bubblewrapIn(searchPath: string, root: string): Promise<string | undefined> {
  for (const folder of searchPath.split(path.delimiter)) {
    if (!path.isAbsolute(folder) || isInside(root, folder)) continue;
    const file = path.join(folder, 'bwrap');
    const isThere = await access(file, constants.X_OK).then(
      async () => !isInside(root, await realpath(file)),
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

const namespaces = ['pid', 'mnt', 'net'];
/** A script that prints its namespaces, and whether the workspace and the system can be written. */
const probe = `
for each in ${namespaces.join(' ')}; do readlink /proc/self/ns/$each || echo; done
[ -w . ] && echo yes || echo no
[ -w /usr ] && echo yes || echo no
`;

/** Returns the problem of a sandbox, by what a program in it sees. */
async function problemOf(sandbox: Sandbox, root: string, network: boolean): Promise<string | undefined> {
  const { program, end } = await sandbox.around(['/bin/sh', '-c', probe]);
  try {
    const { said, error } = await answerOf(program, root);
    if (error !== undefined) return error;
    const lines = said.split('\n');
    for (const [index, name] of namespaces.entries()) {
      if (network && name === 'net') continue;
      const ours = await readlink(`/proc/self/ns/${name}`).catch(() => undefined);
      if (lines[index] === undefined || lines[index] === '' || lines[index] === ours) {
        return `it did not separate the ${name} namespace.`;
      }
    }
    const [workspace, system] = lines.slice(namespaces.length);
    if (workspace !== 'yes') return 'the workspace cannot be written in it.';
    return system === 'no' ? undefined : 'the system can be written in it.';
  } finally {
    await end();
  }
}

const probeTimeoutMs = 10_000;

function answerOf(
  [file = '', ...args]: readonly string[],
  cwd: string,
): Promise<{ readonly said: string; readonly error?: string }> {
  return new Promise((resolve) => {
    const options = { cwd, timeout: probeTimeoutMs, env: { PATH: '/usr/bin:/bin', ...withoutTerminal } };
    execFile(file, args, options, (error, said, problem) => {
      if (error === null) return resolve({ said });
      const line = problem.trim().split('\n')[0] ?? '';
      resolve({ said, error: line === '' ? error.message : line });
    });
  });
}
