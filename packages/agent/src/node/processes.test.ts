import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventLog } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { begunBy } from '../confirmation.js';
import { bundleProgram, startProgram } from '../../test-support/program-under-test.js';
import type { ProgramUnderTest } from '../../test-support/program-under-test.js';

let directory: string;
let program: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'palimpsest-processes-'));
  program = await bundleProgram('conversation-process', directory);
});

afterAll(async () => await rm(directory, { recursive: true, force: true }));

const start = (conversationId: string, task: string): ProgramUnderTest =>
  startProgram(program, directory, conversationId, task);
const done = (conversationId: string, task: string) => start(conversationId, task).ended;
const allow = (conversationId: string) => writeFile(join(directory, `${conversationId}.allowed`), '');
const payments = async (conversationId: string) =>
  (await readFile(join(directory, `${conversationId}.payments`), 'utf8').catch(() => '')).length;
const logOf = async (conversationId: string): Promise<readonly Event[]> => [
  ...(await EventLog.open(conversationId, { store: fileEventStore({ directory }) })),
];

const ids = process.env['PALIMPSEST_THOROUGH'] === 'true' ? ['c1', 'c2', 'c3', 'c4', 'c5'] : ['c1'];

test('an action that is asked about in one process, confirmed in another and carried out in a third runs once, every time', async () => {
  for (const id of ids) {
    await allow(id);
    expect(await done(id, 'send')).toEqual(['waiting-for-confirmation']);
    expect(await done(id, 'confirm')).toEqual([]);
    expect(await done(id, 'run')).toEqual(['paying', 'finished']);
    expect(await payments(id)).toBe(1);
  }
});

test('a confirmed call whose process is killed while it runs is answered as lost by the next process, at once', async () => {
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
});

test('a second process cannot touch a live call, also while the first one is stopped, and the run ends as usual', async () => {
  const id = 'live';
  await done(id, 'send');
  await done(id, 'confirm');
  const first = start(id, 'run');
  await first.tells('paying');
  const before = await logOf(id);
  for (const signal of ['SIGCONT', 'SIGSTOP'] as const) {
    first.process.kill(signal);
    const tasks = ['run', 'run-unconfirmed', 'send', 'confirm'];
    expect(await done(id, tasks.join())).toEqual(tasks.map(() => 'conversation-busy'));
    expect(await logOf(id)).toEqual(before);
  }
  first.process.kill('SIGCONT');
  await allow(id);
  expect(await first.ended).toEqual(['paying', 'finished']);
  expect(await payments(id)).toBe(1);
  expect((await logOf(id)).filter(({ type }) => type === 'agent-error')).toEqual([]);
});
