import { readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killWriters } from './kill-writers.js';
import { bundleWriter, startWriter, storedIds } from './writer-under-test.js';
import type { WriterUnderTest } from './writer-under-test.js';

let directory: string;
let command: readonly string[];

beforeAll(async () => {
  const { folder, program } = await bundleWriter();
  directory = folder;
  command = [execPath, program];
});

afterAll(async () => await rm(directory, { recursive: true, force: true }));

test('200 writers killed at any moment: every acknowledged event is there, once and in order, every append whole', async () => {
  const killed = await killWriters({ rounds: 200, atATime: 4 });
  console.log('killed writers:', JSON.stringify(killed));
  expect(killed.killed).toBe(200);
}, 180_000);

test('writers put to sleep in the middle of an append and ousted: nothing is lost, doubled or told wrongly', async () => {
  const conversationId = 'asleep';
  const writers = ['s-', 'w-'].map((prefix) =>
    startWriter(command, { directory, conversationId, prefix, largeBytes: 50_000 }),
  );
  const [sleepy, wakeful] = writers as [WriterUnderTest, WriterUnderTest];
  await Promise.all([sleepy.appended(1), wakeful.appended(1)]);
  const lock = join(directory, `${conversationId}.lock`);
  const tokenOfSleepy = async () =>
    (await readdir(lock).catch(() => [])).find((token) => token.startsWith(`${sleepy.process.pid}.`));
  let ousted = 0;
  for (let nap = 0; nap < 200 && ousted < 20; nap++) {
    for (let look = 0; look < 10_000 && (await tokenOfSleepy()) === undefined; look++);
    sleepy.process.kill('SIGSTOP');
    const token = await tokenOfSleepy();
    if (token !== undefined) {
      // As if it had slept for years.
      const aged = utimes(join(lock, token), 0, 0);
      ousted += await aged.then(
        () => 1,
        () => 0,
      );
    }
    await wakeful.appended(wakeful.ids('done').length + 3);
    sleepy.process.kill('SIGCONT');
    await sleepy.appended(sleepy.ids('done').length + 1);
  }
  for (const writer of writers) writer.process.kill('SIGKILL');
  await Promise.all(writers.map((writer) => writer.ended));
  const stored = await storedIds(directory, conversationId);
  const lost = writers.map((writer) => writer.ids('lost').length);
  console.log('sleeping writers:', JSON.stringify({ ousted, lost, events: stored.length }));
  expect(ousted).toBe(20);
  for (const [index, writer] of writers.entries()) {
    const acknowledged = writer.ids('done').flat();
    const own = stored.filter((id) => id.startsWith(index === 0 ? 's-' : 'w-'));
    expect(own.slice(0, acknowledged.length)).toEqual(acknowledged);
    const more = own.slice(acknowledged.length);
    if (more.length > 0) expect(more).toEqual(writer.ids('try').at(-1));
  }
}, 120_000);
