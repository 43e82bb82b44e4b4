import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { appendFile, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { calls, chatServer, says, toolCall } from '../test-support/chat-server.js';
import type { ChatServerOptions } from '../test-support/chat-server.js';
import { startCli, startInShell } from '../test-support/cli-process.js';
import { headlessRig } from '../test-support/headless-rig.js';
import { isRunning } from '../test-support/running-processes.js';

/** What only whole processes show: signals, their death, two of them, and a reader that goes away. */

async function processRig(options: ChatServerOptions, files: Readonly<Record<string, string>> = {}) {
  const server = await chatServer(options);
  const rig = await headlessRig(files, { model: 'local', baseUrl: server.baseURL });
  const model = ['--model', 'local', '--base-url', server.baseURL, '--yolo', '--output-format', 'stream-json'];
  const start = (...args: string[]) => startCli([...args, ...model], { cwd: rig.workspace, env: rig.env });
  return { ...rig, server, start };
}

/** Resolves when the file is there. */
function existence(file: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(dirname(file), (_, name) => {
      if (name === basename(file) || existsSync(file)) resolve();
    });
    onTestFinished(() => watcher.close());
  });
}

/** A model that calls a command which leaves two processes, one of them in a session of its own, and waits. */
function sleeping() {
  const seconds = `61${process.pid}${count++}`;
  const command = `setsid sleep ${seconds} & sleep ${seconds} & touch started; sleep ${seconds}`;
  const call = toolCall('run_command', { command });
  return {
    isAsleep: () => isRunning(`sleep ${seconds}`),
    reply: (_: unknown, index: number) => (index === 0 ? calls(null, call) : says('Done.')),
  };
}
let count = 0;

/** All three where CI tests thoroughly; demo-process.test.ts and in-a-terminal/exits.test.ts meet the others. */
const signals = [
  ['SIGTERM', 143],
  ...(process.env['PALIMPSEST_THOROUGH'] === 'true'
    ? ([
        ['SIGINT', 130],
        ['SIGHUP', 129],
      ] as const)
    : []),
] as const;

test.each(signals)('%s in a command ends it and the run in an orderly way, with status %i', async (signal, status) => {
  const { isAsleep, reply } = sleeping();
  const rig = await processRig({ reply });
  const started = existence(join(rig.workspace, 'started'));
  const run = rig.start('-p', 'Go.');
  await Promise.race([started, run.ended]);
  expect(isAsleep(), run.stderr()).toBe(true);
  run.child.kill(signal);
  expect(await run.ended).toBe(status);
  expect(run.stdout()).toContain('"status":"interrupted","text":');
  await vi.waitUntil(() => !isAsleep(), { timeout: 60_000 });
  expect(JSON.parse(run.stdout().trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    status: 'interrupted',
    exitStatus: status,
  });
  expect(run.stderr()).toBe('');
});

test('kill -9 in a command: the session goes on, what was cut off is told, and a second process is kept out meanwhile', async () => {
  const { isAsleep, reply } = sleeping();
  const rig = await processRig({ reply });
  const started = existence(join(rig.workspace, 'started'));
  const run = rig.start('-p', 'Go.');
  await Promise.race([started, run.ended]);
  expect(isAsleep(), run.stderr()).toBe(true);
  const second = rig.start('resume');
  expect(await second.ended).toBe(1);
  expect(second.stderr()).toMatch(
    new RegExp(`^palimpsest: Session '\\w+' is at work in process ${run.child.pid}\\. Go on with it when`),
  );
  run.child.kill('SIGKILL');
  expect(await run.ended).toBe('SIGKILL');
  await vi.waitUntil(() => !isAsleep(), { timeout: 60_000 });

  const goneOn = await rig.resume(undefined, {});
  expect(goneOn.status).toBe(0);
  expect(goneOn.events[0]).toMatchObject({ type: 'init', isResumed: true, cutOff: [{ name: 'run_command' }] });
  expect(goneOn.events.find(({ type }) => type === 'tool-result')).toMatchObject({ status: 'interrupted' });
});

test('a pattern that takes for ever elsewhere keeps no signal waiting', async () => {
  const line = `${'a'.repeat(60_000)}!\n`;
  const rig = await processRig(
    {
      reply: () => calls(null, toolCall('search', { pattern: '(a+)+$' }), toolCall('search', { pattern: '(a|a?)+b' })),
    },
    Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.txt`, line])),
  );
  const run = rig.start('-p', 'Go.');
  await run.printed('"tool-call"');
  run.child.kill('SIGINT');
  expect(await run.ended).toBe(130);
});

test('a reader that goes away ends the run without a word', async () => {
  const rig = await processRig(
    {
      reply: (_, index) => (index < 30 ? calls(null, toolCall('read_file', { path: `${index}.txt` })) : says('Done.')),
    },
    Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`${index}.txt`, `${index}`])),
  );
  const run = rig.start('-p', 'Go.');
  await once(run.child.stdout ?? run.child, 'data');
  run.child.stdout?.destroy();
  expect(await run.ended).toBe(141);
  expect(run.stderr()).toBe('');
});

test('wrong input: one line, status 2, and no session', async () => {
  const rig = await processRig({ reply: () => says('Hi.') });
  const wrong = [
    ['--max-steps', 'many', '-p', 'Go.'],
    ['--output-format', 'xml', '-p', 'Go.'],
    ['--cwd', 'nowhere', '-p', 'Go.'],
    ['do', 'it'],
    ['resume', 'nothing'],
  ];
  const runs = wrong.map((args) => rig.start(...args));
  for (const run of runs) {
    expect(await run.ended).toBe(2);
    expect(run.stdout()).toBe('');
    expect(run.stderr()).toMatch(/^palimpsest: [^\n]+\n$/);
  }
  expect(await readdir(rig.sessions).catch(() => [])).toEqual([]);
});

/** Runs the built command behind a line of a shell. */
async function inShell(line: string, args: readonly string[]) {
  const rig = await headlessRig();
  const run = startInShell(line, args, { cwd: rig.workspace, env: rig.env });
  return { status: await run.ended, stderr: run.stderr() };
}

test('a folder that was deleted meanwhile: one line, and no stack', async () => {
  const runs = [['list'], ['config'], ['-p', 'Go.']].map((args) => inShell('rmdir "$PWD"; "$@"', args));
  for (const ran of await Promise.all(runs)) {
    expect(ran).toMatchObject({ status: 2, stderr: expect.stringMatching(/^palimpsest: [^\n]+cd[^\n]+\n$/) as string });
  }
});

test.skipIf(!existsSync('/dev/full'))('output on a full disk: one line, and status 1', async () => {
  for (const args of [['config'], ['list', '--json']]) {
    expect(await inShell('"$@" > /dev/full', args)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^palimpsest: cannot write to standard output: ENOSPC[^\n]+\n$/) as string,
    });
  }
});

test('a log that a crash has torn: one line, and the session goes on', async () => {
  const rig = await processRig({ reply: () => says('Done.') });
  const ran = await rig.run({ print: 'Go.' });
  const [init] = ran.events;
  await appendFile(init?.type === 'init' ? init.log : '', '{"type":"mess');
  const goneOn = rig.start('resume', '-p', 'Again.');
  expect(await goneOn.ended).toBe(0);
  expect(goneOn.stderr()).toMatch(/^palimpsest: [^\n]+ were moved to [^\n]+\n$/);
});
