import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundledProgram } from '../../test-support/bundled-program.js';
import { temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import { openSandbox } from '../sandbox/open-sandbox.js';
import { openWorkspace } from '../workspace/workspace.js';
import { foundInList, processesOf } from '../process/processes.js';
import { SupervisedProcess } from '../process/supervised-process.js';
import { commandEnvironment } from '../process/environment.js';
import { runCommand } from './run-command.js';

let program: string;
let directory: string;
let hasSandbox = false;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'palimpsest-host-'));
  program = await bundledProgram('command-process', directory);
  hasSandbox = (await openSandbox(await openWorkspace(directory))).works;
});
afterAll(() => rm(directory, { recursive: true }));

/** Each process of these writes its number into a file of the workspace, and is hard to end. */
const stubborn = (name: string) => `sh -c 'trap "" TERM HUP INT; echo $$ > ${name}.pid; while :; do sleep 60; done'`;
/** A child, a grandchild, one that runs in a session of its own, and one that runs when its shell has gone. */
const family = `sh -c "${stubborn('grandchild').replaceAll('"', '\\"').replaceAll('$', '\\$')} & wait" &
setsid ${stubborn('session')} &
(${stubborn('orphan')} &)
${stubborn('child')}`;
const names = ['child', 'grandchild', 'orphan', 'session'];

/** A process in a session of its own. It is waited for: while it becomes its program, its environment cannot be read. */
const away = `setsid ${stubborn('away')} & while [ ! -s away.pid ]; do sleep 0.01; done`;

/** The numbers of the family, when all have written them. */
async function familyIn(folder: string): Promise<readonly number[]> {
  for (;;) {
    const read = names.map((name) => readFile(path.join(folder, `${name}.pid`), 'utf8').catch(() => ''));
    const texts = await Promise.all(read);
    if (texts.every((text) => text.endsWith('\n'))) return texts.map(Number);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function isGone(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return status === '' || /\) [ZX] /.test(status);
}

async function allGone(pids: readonly number[]): Promise<void> {
  while (!(await Promise.all(pids.map(isGone))).every(Boolean)) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Resolves when the file is there. */
async function existence(file: string): Promise<void> {
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A host in a process of its own. */
async function hostOf(command: string, mode = '') {
  const { root } = await temporaryWorkspace();
  const host = spawn(process.execPath, [program, root, command, mode], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void host.kill('SIGKILL'));
  return { root, host, ended: once(host, 'exit') };
}

describe.skipIf(process.platform !== 'linux')('no process of a command outlives the process that ran it', () => {
  test.each(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGKILL', 'SIGUSR2'] as const)('that ends by %s', async (signal) => {
    const { root, host, ended } = await hostOf(family);
    const pids = await familyIn(root);
    expect(await Promise.all(pids.map(isGone))).toEqual([false, false, false, false]);
    host.kill(signal);
    await ended;
    // The test hangs, and so fails, if one goes on.
    await allGone(pids);
  });

  test('that ends in order while a kept process runs', async () => {
    const { root, ended } = await hostOf(`${stubborn('kept')} & while [ ! -s kept.pid ]; do sleep 0.01; done`);
    await ended;
    await allGone([Number(await readFile(path.join(root, 'kept.pid'), 'utf8'))]);
  });

  test('that is killed while a command runs in a sandbox', async ({ skip }) => {
    skip(!hasSandbox, 'no sandbox works here');
    const { root, host, ended } = await hostOf(
      `env -i setsid sh -c 'echo x > away; exec sleep 67.${process.pid}' & sleep 67.${process.pid}`,
      'sandbox',
    );
    await existence(path.join(root, 'away'));
    host.kill('SIGKILL');
    await ended;
    while ((await argumentsOfAll()).includes(`67.${process.pid}`))
      await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

async function argumentsOfAll(): Promise<string> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return (await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))).join('\n');
}

describe.skipIf(process.platform !== 'linux')('here', () => {
  test('an abort ends all, also those that ignore the request and those in another session', async () => {
    const workspace = await temporaryWorkspace();
    const controller = new AbortController();
    const running = runCommand(workspace, family, { timeoutMs: 600_000, signal: controller.signal });
    const pids = await familyIn(workspace.root);
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await allGone(pids);
  });

  test('a command can tidy up when it is asked to end', async () => {
    const { root } = await temporaryWorkspace();
    const tidy = `trap 'echo tidy > tidied; exit 3' TERM; echo > ready; while :; do sleep 0.01; done`;
    // However slow the machine is: it is not ended while it tidies up.
    const options = { cwd: root, env: commandEnvironment(process.env), politeMs: 2 ** 30 } as const;
    const running = new SupervisedProcess(['/bin/sh', '-c', tidy], options);
    onTestFinished(() => running.kill());
    await existence(path.join(root, 'ready'));
    running.end();
    expect(await running.exit).toEqual([3, null]);
    expect(await readFile(path.join(root, 'tidied'), 'utf8')).toBe('tidy\n');
  });

  test('a command that is aborted before it began does not begin', async () => {
    const workspace = await temporaryWorkspace();
    const running = runCommand(workspace, 'touch begun', { timeoutMs: 60_000, signal: AbortSignal.abort() });
    await expect(running).rejects.toThrow(/abort/);
    expect(await readdir(workspace.root)).toEqual([]);
  });

  test('what is left behind goes on and is named, until its lifetime is over', async () => {
    const workspace = await temporaryWorkspace();
    const lifetime = new AbortController();
    const command = `sh -c 'while :; do echo more; sleep 0.01; echo x >> ticks; done' & ${away}; echo started`;
    const result = await runCommand(workspace, command, { timeoutMs: 60_000, lifetime: lifetime.signal });
    expect(result).toMatchObject({ exitStatus: 0, endedAfter: [] });
    // Names are not certain: a shell may not have become its program yet.
    expect(result.leftRunning.length).toBeGreaterThanOrEqual(2);
    // It writes to an output that nobody reads, and goes on.
    const ticks = async () => (await readFile(path.join(workspace.root, 'ticks'), 'utf8').catch(() => '')).length;
    const before = await ticks();
    while ((await ticks()) < before + 10) await new Promise((resolve) => setTimeout(resolve, 5));
    lifetime.abort();
    await allGone(result.leftRunning.map(({ pid }) => pid));
  });

  test('what is left behind is ended where that is asked for', async () => {
    const workspace = await temporaryWorkspace();
    const result = await runCommand(workspace, `sleep 60 & ${away}; exit 4`, {
      timeoutMs: 60_000,
      background: 'end',
    });
    expect(result).toMatchObject({ exitStatus: 4, leftRunning: [] });
    expect(result.endedAfter.length).toBeGreaterThanOrEqual(2);
    await allGone(result.endedAfter.map(({ pid }) => pid));
  });

  test('an ended command leaves no process of ours either', async () => {
    const mark = `mark-${process.pid}`;
    await runCommand(await temporaryWorkspace(), `: ${mark}; kill 0; true`, { timeoutMs: 60_000 });
    while ((await argumentsOfAll()).includes(mark)) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test('there is no terminal to ask on, and nothing to read', async () => {
    const workspace = await temporaryWorkspace();
    const { output } = await runCommand(
      workspace,
      '(: < /dev/tty) 2>/dev/null || echo no terminal; cat; read x || echo nothing',
      {
        timeoutMs: 60_000,
      },
    );
    expect(output).toBe('no terminal\nnothing\n');
  });

  test('reading from a pipe that nobody writes ends with its time', async () => {
    const workspace = await temporaryWorkspace();
    expect(await runCommand(workspace, 'mkfifo f; cat < f', { timeoutMs: 100 })).toMatchObject({
      timedOut: true,
      output: '',
    });
  });

  test('a bomb of processes is over with its time', async () => {
    const workspace = await temporaryWorkspace();
    const bomb = `i=0; while [ $i -lt 100 ]; do sleep 71.${process.pid} & i=$((i+1)); done; wait`;
    expect(await runCommand(workspace, bomb, { timeoutMs: 300 })).toMatchObject({ timedOut: true });
    while ((await argumentsOfAll()).includes(`71.${process.pid}`))
      await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

test('a folder that is gone is an error that says so', async () => {
  const workspace = await temporaryWorkspace();
  await rm(workspace.root, { recursive: true });
  const running = runCommand(workspace, 'true', { timeoutMs: 1_000 });
  await expect(running).rejects.toMatchObject({
    code: 'command-not-started',
    message: expect.stringContaining('folder') as string,
  });
  const impossible = runCommand(await temporaryWorkspace(), 'a\0b', { timeoutMs: 1_000 });
  await expect(impossible).rejects.toMatchObject({ code: 'command-not-started' });
});

test('where there is no /proc, the group is read from ps', () => {
  const list =
    '    1     1 Ss   /sbin/launchd\n  501   500 S+   /bin/sleep\n  502   500 Z    (sh)\n  503   500 S    sh\n';
  const marks = { session: 500, marker: 'x', watchers: new Set([503]) };
  expect(foundInList(list, marks)).toEqual([{ pid: 501, name: '/bin/sleep' }]);
  expect(processesOf({ session: 2 ** 30, marker: 'PALIMPSEST_COMMAND=none', watchers: new Set() })).toEqual([]);
});
