import { afterEach, expect, test } from 'vitest';
import { noContext, temporaryWorkspace } from '../temporary-workspace.js';
import { runCommand, runCommandTool } from './run-command.js';

const secret = 'sk-not-a-real-key-0123456789';
afterEach(() => {
  delete process.env.OPENAI_API_KEY;
});

async function run(command: string, input: object = {}) {
  const tool = runCommandTool(await temporaryWorkspace({ 'a.txt': 'content of a' }));
  return tool.execute(tool.parseInput({ command, ...input }), noContext);
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

test('ends a command that takes too long, with everything that it started', async () => {
  // The inner sleep holds the pipe open: this would go on for a minute if only the shell were ended.
  expect(await run('sleep 60 & sleep 60', { timeout_seconds: 0.05 })).toMatchObject({
    isError: true,
    content: '[ended after 0.05 seconds]',
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
