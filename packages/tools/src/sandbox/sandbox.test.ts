import { chmod, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import { runCommand } from '../command/run-command.js';
import { openWorkspace } from '../workspace/workspace.js';
import type { Workspace } from '../workspace/workspace.js';
import { openSandbox, requireSandbox } from './open-sandbox.js';
import { SandboxUnavailableError } from './sandbox.js';
import type { SandboxOptions } from './sandbox.js';

async function temporaryFolder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await temporaryWorkspace(files)).root;
}

const probed = await mkdtemp(path.join(tmpdir(), 'palimpsest-probe-'));
const here = await openSandbox(await openWorkspace(probed));
await rm(probed, { recursive: true });

async function inside(command: string, options: SandboxOptions & { readonly workspace?: Workspace } = {}) {
  const workspace = options.workspace ?? (await temporaryWorkspace());
  const home = await temporaryFolder({ '.ssh/id_ed25519': 'private key' });
  const sandbox = await requireSandbox(workspace, { env: { PATH: process.env['PATH'], HOME: home }, ...options });
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, OUTSIDE_HOME: home, SSH_AUTH_SOCK: '/run/agent' };
  const result = await runCommand(workspace, command, { timeoutMs: 60_000, sandbox, env });
  return { ...result, said: result.output.trim(), workspace, home };
}

describe.skipIf(!here.works)(`in a sandbox${here.works ? '' : ` (skipped: ${here.reason})`}`, () => {
  test('the workspace can be written, the system cannot, home is empty', async () => {
    const { said, workspace } = await inside(
      'echo new > made.txt; touch /usr/x 2>&1 | grep -o "Read-only.*"; touch /etc/x 2>/dev/null || echo closed; ls -A $HOME | wc -l; cat $OUTSIDE_HOME/.ssh/id_ed25519 2>/dev/null || echo no key',
    );
    expect(said.split(/\s*\n\s*/)).toEqual(['Read-only file system', 'closed', '0', 'no key']);
    expect(await readFile(path.join(workspace.root, 'made.txt'), 'utf8')).toBe('new\n');
  });

  test('other folders of the machine are not there, and sockets of its servers neither', async () => {
    const other = await temporaryFolder({ 'a.txt': 'a' });
    const { said } = await inside(`cat ${other}/a.txt; ls /run /var 2>&1; echo "[$SSH_AUTH_SOCK]"`);
    expect(said).not.toMatch(/^a$/m);
    expect(said).not.toMatch(/docker|systemd|lib/);
    expect(said).toContain('[]');
  });

  test('what is named can be read or written', async () => {
    const [readable, writable] = [await temporaryFolder({ 'a.txt': 'a' }), await temporaryFolder({ 'b.txt': 'b' })];
    const { said } = await inside(
      `cat ${readable}/a.txt ${writable}/b.txt; echo; touch ${readable}/x 2>/dev/null || echo closed; touch ${writable}/x && echo open`,
      { readable: [readable, '/no/such/folder'], writable: [writable] },
    );
    expect(said).toBe('ab\nclosed\nopen');
    expect(await readdir(writable)).toContain('x');
  });

  test('the environment of the agent cannot be read, and its process cannot be reached', async () => {
    const { said } = await inside(
      `cat /proc/${process.pid}/environ 2>/dev/null | tr '\\0' '\\n' | grep -c . ; kill -0 ${process.pid} 2>/dev/null || echo unseen; ls -d /proc/[0-9]* | wc -l`,
    );
    const [, unseen, processes] = said.split(/\s*\n\s*/);
    expect(unseen).toBe('unseen');
    expect(Number(processes)).toBeLessThan(10);
  });

  test('the network is closed, unless it is opened', async () => {
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const call = `"${process.execPath}" -e "
      require('node:net').connect(${port}, '127.0.0.1').on('data', (data) => console.log(String(data))).on('error', (error) => console.log(error.code))"`;
    expect((await inside(call)).said).toBe('ECONNREFUSED');
    expect((await inside(call, { network: true })).said).toBe('hello');
  });

  test("git works, and its hooks and configuration and the project's own settings stay as they are", async () => {
    const workspace = await temporaryWorkspace({ '.palimpsest/config.toml': 'maxSteps = 3\n' });
    await promisify(execFile)('git', ['init', '-q', workspace.root]);
    await rm(path.join(workspace.root, '.git/hooks'), { recursive: true });
    const before = await readFile(path.join(workspace.root, '.git/config'), 'utf8');
    const { said } = await inside(
      `git add . && git -c user.name=a -c user.email=a@b.c commit -qm first && git log --format=%s
      for each in 'touch .git/hooks/pre-commit' 'mkdir -p .git/hooks/x' 'git config core.fsmonitor ./evil' 'touch .palimpsest/config.toml' \
        'rm -r .palimpsest' 'mv .palimpsest p' 'mv .git g' 'rm .git/commondir' 'echo /tmp > .git/commondir' 'echo x >> .git/config' \
        'mv .git/hooks h' 'ln -f .git/config c'; do
        sh -c "$each" 2>/dev/null && echo "was possible: $each"
      done; git status --short | grep -v -e '^A'`,
      { workspace },
    );
    expect(said).toBe('first');
    expect(await readFile(path.join(workspace.root, '.git/config'), 'utf8')).toBe(before);
    // What was made for the time of the command is gone, also what a killed process left.
    await writeFile(path.join(workspace.root, '.git/commondir'), '.\n');
    await inside('true', { workspace });
    expect((await readdir(path.join(workspace.root, '.git'))).filter((name) => /hooks|commondir/.test(name))).toEqual(
      [],
    );
  });

  test('what is guarded stays so where it is a link, in a submodule, or below a folder that is renamed', async () => {
    const evil = 'echo evil >';
    const attempts = async (set: string, ...commands: readonly string[]): Promise<string> => {
      const workspace = await temporaryWorkspace();
      await promisify(execFile)('git', ['init', '-q', workspace.root]);
      await promisify(execFile)('/bin/sh', ['-ec', set], { cwd: workspace.root });
      const each = commands.map((one) => `(${one}) 2>/dev/null && echo "was possible: ${one}"`).join('\n');
      return (await inside(`${each}\ntrue`, { workspace })).said;
    };
    const [hooks, config, dangling, submodule, worktrees] = await Promise.all([
      attempts('rm -r .git/hooks; mkdir h; ln -s ../h .git/hooks', 'rm .git/hooks', `${evil} h/pre-commit`),
      attempts('mv .git/config c; ln -s ../c .git/config', 'rm .git/config', `${evil} c`, 'mv .git g'),
      attempts('rm -r .git/hooks; ln -s nowhere .git/hooks', 'rm .git/hooks'),
      attempts(
        'mkdir -p .git/modules/a/b; touch .git/modules/a/b/config',
        `${evil} .git/modules/a/b/config`,
        'mv .git/modules .git/m',
        'mv .git/modules/a .git/modules/c',
      ),
      attempts(
        'git config extensions.worktreeConfig true; mkdir -p .git/worktrees/a',
        `${evil} .git/config.worktree`,
        `${evil} .git/worktrees/a/commondir`,
        'mv .git/worktrees .git/w',
      ),
    ]);
    expect([hooks, config, dangling, submodule, worktrees]).toEqual(['', '', '', '', '']);
  });

  test('a worktree of a repository cannot be exchanged for another', async () => {
    const main = await temporaryFolder();
    const tree = path.join(await temporaryFolder(), 'tree');
    const set = `git init -q && git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m x && git worktree add -q ${tree}`;
    await promisify(execFile)('/bin/sh', ['-c', set], { cwd: main });
    const command = `cd ${main}/.git && mv worktrees w || cd worktrees && mv tree t || touch other`;
    const { exitStatus } = await inside(command, { workspace: await openWorkspace(tree) });
    expect(exitStatus).not.toBe(0);
  });

  test('pipes in the place of files of git are not waited for', async () => {
    const workspace = await temporaryWorkspace({ 'other/.git': 'gitdir: worktrees/x' });
    const pipes =
      'git init -q && mkfifo .git/commondir .git/config.worktree && mkdir -p other/worktrees/x && mkfifo other/worktrees/x/gitdir';
    await promisify(execFile)('/bin/sh', ['-c', pipes], { cwd: workspace.root });
    expect((await inside('echo ran', { workspace })).said).toBe('ran');
    expect(
      (await inside('echo ran', { workspace: await openWorkspace(path.join(workspace.root, 'other')) })).said,
    ).toBe('ran');
  });

  test('settings that are a link are no reason to run without a sandbox', async () => {
    const workspace = await temporaryWorkspace();
    await symlink('nowhere', path.join(workspace.root, '.palimpsest'));
    await expect(openSandbox(workspace)).rejects.toThrow(/is a symbolic link.*Make it a folder/);
  });

  test('folders of the host stay as they are where they lie in the workspace', async () => {
    const workspace = await temporaryWorkspace({ 'a/palimpsest/config.toml': 'x' });
    const guarded = ['a/palimpsest', 'state/palimpsest'].map((each) => path.join(workspace.root, each));
    const { said } = await inside(
      `for each in 'echo y > a/palimpsest/config.toml' 'mv a b' 'rm -r a' 'mkdir -p state/palimpsest/x' 'mv state s'; do
        sh -c "$each" 2>/dev/null && echo "was possible: $each"
      done; echo new > a/other; cat a/palimpsest/config.toml`,
      { workspace, guarded },
    );
    expect(said).toBe('x');
    expect((await readdir(workspace.root)).sort()).toEqual(['a']);
    await expect(openSandbox(workspace, { guarded: [path.dirname(workspace.root)] })).rejects.toThrow('lies in');
  });

  test('a project without settings cannot be given some', async () => {
    const { said, workspace } = await inside('mkdir -p .palimpsest; echo x > .palimpsest/config.toml || echo closed');
    expect(said).toContain('closed');
    expect(await readdir(workspace.root)).toEqual([]);
  });

  test('git works in a worktree, but a file that names another folder opens none', async () => {
    const main = await temporaryFolder({ 'a.txt': 'a' });
    const git = (...args: string[]) =>
      promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: main });
    await git('init', '-q');
    await git('add', '.');
    await git('commit', '-qm', 'first');
    const folder = path.join(await temporaryFolder(), 'tree');
    await git('worktree', 'add', '-q', folder);
    const workspace = await openWorkspace(folder);
    const commit =
      'echo b > a.txt; git -c user.name=a -c user.email=a@b.c commit -qam second; git log --format=%s; touch "$(git rev-parse --git-common-dir)/hooks/x" || echo closed';
    expect((await inside(commit, { workspace })).said).toMatch(/^second\nfirst\n[\s\S]*closed$/);
    const victim = await temporaryFolder({ 'worktrees/x/gitdir': '/elsewhere/.git\n' });
    const forged = await temporaryWorkspace({ '.git': `gitdir: ${victim}/worktrees/x\n` });
    expect((await inside(`touch ${victim}/y || echo closed`, { workspace: forged })).said).toContain('closed');
    expect(await readdir(victim)).toEqual(['worktrees']);
  });

  test('the temporary folder is private; with a scratch folder it lasts from command to command', async () => {
    const mark = path.join(tmpdir(), 'palimpsest-mark');
    await inside('touch /tmp/palimpsest-mark');
    expect(await readdir(tmpdir())).not.toContain(path.basename(mark));
    const [scratch, workspace] = [path.join(await temporaryFolder(), 'scratch'), await temporaryWorkspace()];
    await inside('echo kept > /tmp/a; echo home > ~/b', { scratch, workspace });
    expect((await inside('cat /tmp/a', { scratch, workspace })).said).toBe('kept');
  });

  test('what a command leaves behind ends with it, also in a session of its own and with no environment', async () => {
    const workspace = await temporaryWorkspace();
    const seconds = `61.${process.pid}`;
    const command = `env -i setsid sleep ${seconds} & sleep ${seconds} & exit 0`;
    const { endedAfter, leftRunning } = await inside(command, { workspace });
    expect(leftRunning).toEqual([]);
    // The shell may not have become the program yet.
    expect(endedAfter.length).toBeGreaterThan(0);
    const running = () => promisify(execFile)('ps', ['-A', '-o', 'args=']).then(({ stdout }) => stdout);
    await vi.waitUntil(async () => !(await running()).includes(seconds), { timeout: 60_000 });
  });

  test('has the status of the command, and a failure is its own', async () => {
    expect(await inside('exit 7')).toMatchObject({ exitStatus: 7, said: '' });
    expect(await inside('echo $HOME; exec 1>&-; kill -9 $$')).toMatchObject({ exitStatus: 137 });
  });

  test('programs of a version manager in the home folder run, and the rest of home is closed', async () => {
    const home = await temporaryFolder({
      '.tool/bin/greet': '#!/bin/sh\ncat ~/.tool/lib/words',
      '.tool/lib/words': 'hi',
      '.netrc': 'x',
    });
    await chmod(path.join(home, '.tool/bin/greet'), 0o755);
    const workspace = await temporaryWorkspace();
    const env = { PATH: `${home}/.tool/bin:/usr/bin:/bin`, HOME: home };
    const sandbox = await requireSandbox(workspace, { env });
    const { output } = await runCommand(workspace, 'greet; echo; ls -A ~', { timeoutMs: 60_000, sandbox, env });
    expect(output).toBe('hi\n.tool\n');
  });
});

describe('where none works', () => {
  /** A folder with a program of this name. */
  const folderWith = async (script: string): Promise<string> => {
    const folder = await temporaryFolder({ bwrap: `#!/bin/sh\n${script}\n` });
    await chmod(path.join(folder, 'bwrap'), 0o755);
    return folder;
  };
  const reasonFor = async (env: Record<string, string>, root?: string): Promise<string> => {
    const workspace = root === undefined ? await temporaryWorkspace() : await openWorkspace(root);
    const check = await openSandbox(workspace, { env: { HOME: '/home/nobody', ...env } });
    return check.works ? 'works' : check.reason;
  };

  test.skipIf(process.platform !== 'linux')(
    'says why: not installed, forbidden, or one that closes nothing',
    async () => {
      expect(await reasonFor({ PATH: await temporaryFolder() })).toBe(
        'bubblewrap is not installed: there is no bwrap in PATH.',
      );
      const forbidden = await folderWith('echo "bwrap: No permissions to create a new namespace" >&2; exit 1');
      expect(await reasonFor({ PATH: forbidden })).toMatch(/does not work here: bwrap: No permissions to create/);
      const pretender = await folderWith('while [ "$1" != -- ]; do shift; done; shift; exec "$@"');
      expect(await reasonFor({ PATH: pretender })).toMatch(/did not separate the pid namespace/);
    },
  );

  test.skipIf(process.platform !== 'linux')('a program that the project brings is not asked', async () => {
    const root = await folderWith('touch "$(dirname "$0")/ran"');
    expect(await reasonFor({ PATH: root }, root)).toMatch(/not installed/);
    const link = path.join(await temporaryFolder(), 'bin');
    await symlink(root, link);
    expect(await reasonFor({ PATH: link }, root)).toMatch(/not installed/);
    expect(await readdir(root)).toEqual(['bwrap']);
  });

  test.skipIf(process.platform !== 'linux')(
    'a workspace that holds the home folder cannot be closed off from it',
    async () => {
      const home = await temporaryFolder({ 'user/a': '' });
      expect(await reasonFor({ HOME: path.join(home, 'user') }, home)).toMatch(/holds the home folder/);
      const link = path.join(await temporaryFolder(), 'home');
      await symlink(path.join(home, 'user'), link);
      expect(await reasonFor({ HOME: link }, home)).toMatch(/holds the home folder/);
    },
  );

  test('where one is required, that is an error', async () => {
    const workspace = await temporaryWorkspace();
    const opened = requireSandbox(workspace, { env: { PATH: '/nowhere', HOME: '/home/nobody' } });
    await expect(opened).rejects.toThrow(SandboxUnavailableError);
    await expect(opened).rejects.toMatchObject({ code: 'sandbox-unavailable', reason: expect.any(String) as string });
  });
});
