import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ConversationBusyError } from '../errors.js';
import type { ConversationWriter, EventStore } from '../event-store.js';
import type { Event } from '../event.js';
import { logBuilder } from '../testing/index.js';
import { fileEventStore } from './file-event-store.js';
import { silenceMs } from './writer-life.js';
import { rivalWriters } from '../../test-support/crash/rival-writers.js';
import { bundleWriter, isStopped, startWriter, storedIds } from '../../test-support/crash/writer-under-test.js';
import type { WriterProcessOptions } from '../../test-support/crash/writer-process.js';
import type { WriterUnderTest } from '../../test-support/crash/writer-under-test.js';

let directory: string;
let command: readonly string[];

beforeAll(async () => {
  const { folder, program } = await bundleWriter();
  directory = folder;
  command = [execPath, program];
});

afterAll(async () => await rm(directory, { recursive: true, force: true }));

const quietly = { onRepair: () => undefined };
/** A store of this machine for which no time passes: whoever it takes for dead is dead by its process. */
const neighbour = () => fileEventStore({ directory, ...quietly, monotonicNow: () => 0 });
/** A store of another machine, which looks again half a minute later each time. */
const stranger = () => {
  let now = 0;
  return fileEventStore({ directory, ...quietly, machineId: 'another', monotonicNow: () => (now += silenceMs) });
};

async function open(store: EventStore, conversationId: string): Promise<ConversationWriter> {
  const writer = await store.openForWriting?.(conversationId);
  if (writer === undefined) throw new Error('the file store cannot be opened for writing');
  return writer;
}

/** Returns the texts of the files with which writers show themselves. */
async function tokens(conversationId: string): Promise<readonly string[]> {
  const lock = join(directory, `${conversationId}.lock`);
  const names = await readdir(lock).catch(() => []);
  return Promise.all(names.map((name) => readFile(join(lock, name), 'utf8').catch(() => '')));
}

const event = (id: string): Event => ({ ...logBuilder().user('Hello.'), id });

/** Appends one event with this id, and lets go. */
async function appendOnce(writer: ConversationWriter, id: string): Promise<void> {
  await writer.append([event(id)]);
  await writer.close();
}

/** Each seventh operation but where CI tests thoroughly: an append makes 15 of them, so each append is met in other places. */
const stride = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 1 : 7;

/**
 * Starts a writer for each operation on files that it makes while it holds the log, one after another, and has it stopped
 * before that operation. Resolves to those operations.
 */
async function atEachOperation(
  name: string,
  parameters: WriterProcessOptions,
  check: (writer: WriterUnderTest, conversationId: string) => Promise<void>,
): Promise<readonly string[]> {
  const operations: string[] = [];
  const { together = 1 } = parameters;
  const started: WriterUnderTest[] = [];
  onTestFinished(() => void started.forEach(({ process }) => process.kill('SIGKILL')));
  let next = 1;
  let isOver = false;
  const lane = async () => {
    while (!isOver) {
      const number = next;
      next += stride;
      const conversationId = `${name}-${number}`;
      const options = { ...parameters, appends: 3 * together, stopAt: number };
      const writer = startWriter(command, { directory, conversationId, prefix: 'w-', ...options });
      started.push(writer);
      const stopped = await writer.tells('stopped');
      if (stopped === undefined) {
        expect(writer.ids('done')).toHaveLength(3 * together);
        isOver = true;
        return;
      }
      operations.push(stopped);
      await check(writer, conversationId);
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  return operations;
}

/** All that was acknowledged is there, once and in order, and what was not is there whole or not at all. */
function expectEverything(stored: readonly string[], writer: WriterUnderTest, together = 1): void {
  const own = stored.filter((id) => id.startsWith('w-'));
  const tried = writer.ids('try');
  const acknowledged = new Set(writer.ids('done').flat());
  const there = tried.filter((ids) => own.includes(ids[0] ?? ''));
  expect(own).toEqual(there.flat());
  expect(there.flat()).toEqual(expect.arrayContaining([...acknowledged]));
  for (const ids of there)
    if (!ids.every((id) => acknowledged.has(id)))
      expect(tried.slice(-together).includes(ids) || writer.ids('ousted').some((ousted) => ousted[0] === ids[0])).toBe(
        true,
      );
}

test('a holder that is killed before any operation is noticed at once, and everything acknowledged is there', async () => {
  const operations = await atEachOperation('killed', { held: 2, together: 3 }, async (writer, conversationId) => {
    writer.process.kill('SIGKILL');
    await writer.ended;
    await appendOnce(await open(neighbour(), conversationId), 'next');
    const stored = await storedIds(directory, conversationId, () => undefined);
    expectEverything(stored, writer, 3);
    expect(stored.at(-1)).toBe('next');
    expect(await readdir(directory)).not.toContain(`${conversationId}.lock`);
  });
  console.log(`killed before each of ${operations.length} operations`);
  const names = stride === 1 ? ['write', 'datasync', 'accessSync', 'unlink', 'readdir'] : [];
  expect(operations.length).toBeGreaterThan(30 / stride);
  for (const name of names) expect(operations).toContain(`stopped ${name}`);
});

test('a holder that is stopped keeps the log on its machine; another machine takes over, and nothing is lost or doubled', async () => {
  let kept = 0;
  let ousted = 0;
  await atEachOperation('stopped', { held: 2 }, async (writer, conversationId) => {
    await isStopped(writer);
    const isOpen = (await tokens(conversationId)).some((count) => /^\d+$/.test(count));
    if (isOpen) {
      await expect(open(neighbour(), conversationId)).rejects.toThrow(ConversationBusyError);
      kept++;
    }
    const next = await open(stranger(), conversationId);
    writer.process.kill('SIGCONT');
    const [first, second] = [event('stranger-1'), event('stranger-2')];
    const { version } = await next.append([first]);
    expect(await next.append([second])).toEqual({ version: version + 1 });
    await next.close();
    await writer.ended;
    ousted += writer.ids('ousted').length;
    const stored = await storedIds(directory, conversationId, () => undefined);
    expectEverything(stored, writer);
    // Nobody else wrote between them.
    expect(stored.slice(version - 1, version + 1)).toEqual(['stranger-1', 'stranger-2']);
    expect(stored.filter((id) => id.startsWith('stranger'))).toHaveLength(2);
  });
  console.log(`stopped while it had the log: ${kept} times; learned that it was ousted: ${ousted} times`);
  expect(kept).toBeGreaterThan(5 / stride);
  expect(ousted).toBeGreaterThan(5 / stride);
});

test('one that is stopped in the middle of a single append, and ousted: nothing is lost, doubled or told wrongly', async () => {
  let lost = 0;
  const operations = await atEachOperation('single', {}, async (writer, conversationId) => {
    await isStopped(writer);
    const { version } = await stranger().append(conversationId, [event('stranger-1'), event('stranger-2')]);
    writer.process.kill('SIGCONT');
    await writer.ended;
    lost += writer.ids('lost').length;
    const stored = await storedIds(directory, conversationId, () => undefined);
    expectEverything(stored, writer);
    expect(stored.slice(version - 2, version)).toEqual(['stranger-1', 'stranger-2']);
  });
  console.log(`stopped before each of ${operations.length} operations; lost races: ${lost}`);
  expect(lost).toBeGreaterThan(5 / stride);
});

/** Each of them once but where CI tests thoroughly; `npm run bench:crash` has more of them. */
const killsEach = process.env['PALIMPSEST_THOROUGH'] === 'true' ? 2 : 1;

test('six writers that take over from each other, killed and ousted again and again: every acknowledged event once', async () => {
  const conversationId = 'storm';
  const storm = await rivalWriters({ directory, program: command[1] ?? '', conversationId, atATime: 6, killsEach });
  console.log('storm:', JSON.stringify(storm));
  expect(storm.writers).toBe(6 * killsEach);
  await appendOnce(await open(stranger(), conversationId), 'last');
  expect((await storedIds(directory, conversationId)).at(-1)).toBe('last');
});
