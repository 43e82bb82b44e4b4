import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openaiServer } from '@palimpsest/provider-servers';
import { nodeWithFewTests, pathWithNode } from '../../test-support/stand-in-node.js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

// The built command with a folder for temporary files of its own.
const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const key = 'sk-made-up-key-for-a-test-0123456789';

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

let folder: string;
let temporary: string;
let noTests: string;
let fewTests: string;
let server: Awaited<ReturnType<typeof openaiServer>>;
let onRequest: () => void = () => undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-demo-process-'));
  temporary = join(folder, 'tmp');
  await mkdir(temporary);
  noTests = await pathWithNode('exit 0', join(folder, 'bin'));
  fewTests = await pathWithNode(nodeWithFewTests, join(folder, 'few'));
  server = await openaiServer({
    apiKey: key,
    reply: () => {
      onRequest();
      const call = { name: 'list_files', arguments: '{}' };
      return {
        message: {
          content: 'Looking.',
          tool_calls: [{ id: `call_${server.requests.length}`, type: 'function', function: call }],
        },
      };
    },
  });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

function run(command: string, args: readonly string[], atRequest?: (child: ChildProcess) => void): Promise<Ended> {
  const { NO_COLOR: _no, FORCE_COLOR: _force, ...own } = process.env;
  const env = { ...own, PATH: noTests, TMPDIR: temporary, OPENAI_API_KEY: key, OPENAI_BASE_URL: server.baseURL };
  const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  onRequest = () => atRequest?.(child);
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  return new Promise((resolve) => {
    child.on(
      'close',
      (code, signal) => void output.then(([stdout, stderr]) => resolve({ code, signal, stdout, stderr })),
    );
  });
}

const demo = (atRequest: (child: ChildProcess) => void, ...flags: readonly string[]): Promise<Ended> =>
  run(process.execPath, [cli, 'demo', '--model', 'openai/some-model', ...flags], atRequest);

/** All three where CI tests thoroughly; processes.test.ts and in-a-terminal/exits.test.ts meet the others. */
const signals = [
  ['SIGINT', 130],
  ...(process.env['PALIMPSEST_THOROUGH'] === 'true'
    ? ([
        ['SIGTERM', 143],
        ['SIGHUP', 129],
      ] as const)
    : []),
] as const;

test.each(signals)('%s ends the run in order, says so once, and leaves nothing', async (signal, status) => {
  const ended = await demo((child) => child.kill(signal));
  expect(ended).toMatchObject({ code: status, stderr: 'palimpsest: The run was interrupted.\n' });
  expect(ended.stdout).not.toContain('interrupted');
  expect(await readdir(temporary)).toEqual([]);
});

test('a second signal ends it at once, and leaves nothing', async () => {
  const ended = await demo((child) => {
    // Stopped meanwhile, it gets both at the same time, and cannot end in between.
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) child.kill(signal);
  });
  // Which of the two is handled first is the system's choice.
  expect([130, 143]).toContain(ended.code);
  expect(ended.stderr).toBe('');
  expect(await readdir(temporary)).toEqual([]);
});

test('what a killed process leaves, the next one removes', async () => {
  expect(await demo((child) => child.kill('SIGKILL'))).toMatchObject({ signal: 'SIGKILL' });
  expect(await readdir(temporary)).toHaveLength(1);
  await demo((child) => child.kill('SIGINT'));
  expect(await readdir(temporary)).toEqual([]);
});

test('a reader that goes away ends it without a word, and leaves nothing', async () => {
  // Once while tests are under way.
  for (const [both, path] of [
    ['', fewTests],
    ['2>&1', noTests],
  ]) {
    const line = `PATH='${path}' '${process.execPath}' '${cli}' demo ${both} | head -n 2`;
    const ended = await run('/bin/sh', ['-c', line]);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout.split('\n')).toHaveLength(3);
    expect(await readdir(temporary)).toEqual([]);
  }
});

test('--keep keeps the copy, and says where; --json streams, with the report as its last line', async () => {
  const ended = await demo((child) => child.kill('SIGINT'), '--keep', '--json');
  const [kept = ''] = await readdir(temporary);
  expect(ended.stderr).toContain(join(temporary, kept));
  await rm(join(temporary, kept), { recursive: true });
  const lines = ended.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string });
  expect(lines.map(({ type }) => type)).toEqual(expect.arrayContaining(['message', 'demo-report']));
  expect(lines.at(-1)).toMatchObject({ type: 'demo-report', ending: 'interrupted' });
});
