import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { EventLog } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { build } from 'tsup';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { begunBy } from '../confirmation.js';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'palimpsest-processes-'));
  await build({
    entry: { program: join(import.meta.dirname, '../../test-support/conversation-process.ts') },
    outDir: directory,
    outExtension: () => ({ js: '.mjs' }),
    format: 'esm',
    target: 'node20',
    noExternal: [/./],
    esbuildOptions: (options) => void (options.conditions = ['@palimpsest/source']),
    // What is bundled and is no ES module asks for Node's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    config: false,
    silent: true,
  });
}, 120_000);

afterAll(async () => await rm(directory, { recursive: true, force: true }));

interface Running {
  readonly process: ChildProcess;
  readonly told: readonly string[];
  /** Resolves when it has told this; rejects when it has ended without. */
  tells(what: string): Promise<void>;
  /** Resolves to all that it told. */
  readonly ended: Promise<readonly string[]>;
}

function start(conversationId: string, task: string): Running {
  const process = spawn(execPath, [join(directory, 'program.mjs'), directory, conversationId, task], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void process.kill('SIGKILL'));
  const told: string[] = [];
  const lines = createInterface({ input: process.stdout });
  lines.on('line', (line) => told.push(line));
  const ended = Promise.all([once(lines, 'close'), once(process, 'exit')]).then(() => told);
  return {
    process,
    told,
    ended,
    async tells(what) {
      let isOver = false;
      void ended.then(() => (isOver = true));
      while (!told.includes(what)) {
        if (isOver) throw new Error(`it told ${told.join(', ')} and never ${what}`);
        await new Promise(setImmediate);
      }
    },
  };
}

const done = (conversationId: string, task: string) => start(conversationId, task).ended;
const allow = (conversationId: string) => writeFile(join(directory, `${conversationId}.allowed`), '');
const payments = async (conversationId: string) =>
  (await readFile(join(directory, `${conversationId}.payments`), 'utf8').catch(() => '')).length;
const logOf = async (conversationId: string): Promise<readonly Event[]> => [
  ...(await EventLog.open(conversationId, { store: fileEventStore({ directory }) })),
];

test('asked in one process, confirmed in another, carried out in a third: five of five, once each', async () => {
  for (const id of ['c1', 'c2', 'c3', 'c4', 'c5']) {
    await allow(id);
    expect(await done(id, 'send')).toEqual(['waiting-for-confirmation']);
    expect(await done(id, 'confirm')).toEqual([]);
    expect(await done(id, 'run')).toEqual(['paying', 'finished']);
    expect(await payments(id)).toBe(1);
  }
}, 300_000);

test('a confirmed call whose process is killed while it runs is answered as lost, by whoever comes next, at once', async () => {
  const id = 'killed';
  await done(id, 'send');
  await done(id, 'confirm');
  const first = start(id, 'run');
  await first.tells('paying');
  first.process.kill('SIGKILL');
  await first.ended;
  expect(await done(id, 'run')).toEqual(['finished']);
  expect(await payments(id)).toBe(1);
  const log = await logOf(id);
  expect(log.filter((event) => begunBy(event).length > 0)).toHaveLength(1);
  expect(log.filter(({ type }) => type === 'agent-error')).toMatchObject([
    { error: expect.stringContaining('was not run again') as string },
  ]);
}, 300_000);

test('a second opener gets no live call, also while the first one is stopped, and the run ends as if it had not come', async () => {
  const id = 'live';
  await done(id, 'send');
  await done(id, 'confirm');
  const first = start(id, 'run');
  await first.tells('paying');
  const before = await logOf(id);
  for (const signal of ['SIGCONT', 'SIGSTOP'] as const) {
    first.process.kill(signal);
    for (const task of ['run', 'run-unconfirmed', 'send', 'confirm']) {
      expect(await done(id, task)).toEqual(['conversation-busy']);
    }
    expect(await logOf(id)).toEqual(before);
  }
  first.process.kill('SIGCONT');
  await allow(id);
  expect(await first.ended).toEqual(['paying', 'finished']);
  expect(await payments(id)).toBe(1);
  expect((await logOf(id)).filter(({ type }) => type === 'agent-error')).toEqual([]);
}, 300_000);
