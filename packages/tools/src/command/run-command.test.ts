import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { noContext, temporaryWorkspace } from '../../test-support/temporary-workspace.js';
import { sendSignal } from '../process/processes.js';
import { runCommand } from './run-command.js';
import { runCommandTool } from './run-command-tool.js';

const secret = 'sk-not-a-real-key-0123456789';
afterEach(() => {
  delete process.env.OPENAI_API_KEY;
});

async function run(command: string, input: object = {}) {
  const tool = runCommandTool(await temporaryWorkspace({ 'a.txt': 'content of a' }));
  return tool.execute(tool.parseInput({ command, ...input }), noContext);
}

/** Ends the process whose number was printed. Where it has been ended, the system may have forgotten it by then, or not yet. */
function endAfterwards(output: unknown): void {
  const pid = /^\d+/.exec((output as { readonly content: string }).content)?.[0];
  if (pid !== undefined) onTestFinished(() => void sendSignal(Number(pid), 'SIGTERM'));
}

test('answers with output and exit status', async () => {
  expect(await run('cat a.txt; echo; echo oops >&2; echo and on; exit 3')).toMatchObject({
    content: 'content of a\noops\nand on\n[exit status 3]',
    details: { exitStatus: 3, timedOut: false, isCut: false },
    isError: false,
  });
});

test('runs in the workspace, and does not say where that is', async () => {
  expect(await run('echo "$PWD/a.txt is in $PWD"')).toMatchObject({ content: 'a.txt is in .\n[exit status 0]' });
});

test('passes no key on', async () => {
  process.env.OPENAI_API_KEY = secret;
  expect(JSON.stringify(await run('env'))).not.toContain(secret);
});

test('ends a command that takes too long, with its process group', async () => {
  // The inner sleep holds the pipe open: this would go on for a minute if only the shell were ended.
  expect(await run('sleep 60 & sleep 60', { timeout_seconds: 0.05 })).toMatchObject({
    isError: true,
    content: '[ended after 0.05 seconds]',
    details: { timedOut: true },
  });
});

test('does not wait for what the shell leaves in the background, and says that it runs', async () => {
  const result = await run('sleep 60 & echo $!');
  endAfterwards(result);
  expect(result).toMatchObject({
    content: expect.stringMatching(
      /^\d+\n\[exit status 0; processes that it started were left running: \w+ \(\d+\)\]$/,
    ),
    isError: false,
    details: { exitStatus: 0, timedOut: false, leftRunning: [{ pid: expect.any(Number) as number }] },
  });
});

// A process of another session, which is not ended with the group; it holds the pipe open.
const detached = `"${process.execPath}" -e "
  const child = require('node:child_process').spawn('sleep', ['60'], { detached: true, stdio: 'inherit' });
  console.log(child.pid);
  child.unref();"`;

test('answers when the shell is done, whoever holds the pipe', async () => {
  const result = await run(detached);
  endAfterwards(result);
  expect(result).toMatchObject({
    isError: false,
    details: { exitStatus: 0, timedOut: false, leftRunning: [{ name: 'sleep' }] },
  });
});

test('answers when the time is over, whoever holds the pipe', async () => {
  const result = await run(`${detached}; sleep 60`, { timeout_seconds: 1 });
  endAfterwards(result);
  expect(result).toMatchObject({
    isError: true,
    content: expect.stringContaining('[ended after 1 seconds'),
    details: { timedOut: true },
  });
});

test('is ended by an abort', async () => {
  const workspace = await temporaryWorkspace();
  const controller = new AbortController();
  const running = runCommand(workspace, 'sleep 60', { timeoutMs: 60_000, signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
});

test('keeps the beginning and the end of long output', async () => {
  const workspace = await temporaryWorkspace();
  const { output, isCut } = await runCommand(workspace, 'echo first; seq 1 20000; echo last', {
    timeoutMs: 20_000,
    maxCharacters: 1_000,
  });
  expect(isCut).toBe(true);
  expect(output).toMatch(/^first\n1\n2\n[\s\S]*characters left out[\s\S]*20000\nlast\n$/);
  expect(output.length).toBeLessThan(1_100);
});

test.each([
  ['echo a\0b', /cannot hold a NUL/],
  ['é'.repeat(90_000), /too long for the system: write it into a file/],
])('says why a command cannot be started', async (command, message) => {
  const running = runCommand(await temporaryWorkspace(), command, { timeoutMs: 10_000 });
  await expect(running).rejects.toThrow(message);
});

test.runIf(process.platform === 'linux')(
  'what watched over the background is gone after its last process',
  async () => {
    const workspace = await temporaryWorkspace();
    const handles = async () => (await readdir('/proc/self/fd')).length;
    const before = await handles();
    const { leftRunning } = await runCommand(workspace, 'while [ ! -e go ]; do sleep 0.01; done & true', {
      timeoutMs: 10_000,
    });
    expect(leftRunning).not.toEqual([]);
    await writeFile(join(workspace.root, 'go'), '');
    // The test hangs if they stay.
    while ((await handles()) > before) await new Promise((resolve) => setTimeout(resolve, 5));
  },
);
