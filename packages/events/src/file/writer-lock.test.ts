import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { conversationFiles } from './conversation-files.js';
import { lockLog } from './locked-log.js';
import { replaceLog } from './replace-log.js';
import { acquireLock } from './writer-lock.js';
import type { WriterLock } from './writer-lock.js';
import { writerTokens } from './writer-token.js';

let directory: string;
let folder: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  folder = join(directory, 'c.lock');
});

afterEach(async () => await rm(directory, { recursive: true }));

const options = { tokens: writerTokens(), timeoutMs: 0, oustAfterMs: 10_000 };

async function acquire(): Promise<WriterLock> {
  const lock = await acquireLock(folder, options);
  if ('release' in lock) return lock;
  throw new Error(`the lock is held by ${lock.holder}`);
}

const age = (token: string) => utimes(token, 0, 0);

test('one writer has the lock, the next one gets it afterwards, and nothing is left behind', async () => {
  const lock = await acquire();
  expect(await acquireLock(folder, options)).toEqual({ holder: `process ${process.pid}` });
  expect(await lock.release()).toBe(true);
  expect(await (await acquire()).release()).toBe(true);
  expect(await readdir(directory)).toEqual([]);
});

test('of many writers at the same time no two have it', async () => {
  let holders = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      const lock = await acquireLock(folder, { ...options, timeoutMs: 60_000 });
      if (!('release' in lock)) throw new Error(`the lock is held by ${lock.holder}`);
      most = Math.max(most, ++holders);
      await readdir(directory);
      holders--;
      await lock.release();
    }),
  );
  expect(most).toBe(1);
});

test('the file of a dead process is removed at once, and nobody is ousted', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const [, place] = options.tokens.create().split('.');
  await mkdir(folder);
  await writeFile(join(folder, `${pid}.${place}.killed`), '');
  const lock = await acquire();
  expect(lock.ousted).toEqual([]);
  expect(await readdir(folder)).toEqual([basename(lock.token)]);
});

test('a process of another machine or container is not judged by its number, and is ousted when it is silent', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const token = join(folder, `${pid}.elsewhere.x`);
  await mkdir(folder);
  await writeFile(token, '');
  expect(await acquireLock(folder, options)).toEqual({ holder: `process ${pid}` });
  await age(token);
  expect((await acquire()).ousted).toEqual([`${token}.ousted`]);
});

test('an empty folder is a lock that nobody has', async () => {
  await mkdir(folder);
  await acquire();
});

test('an ousted writer is told when it lets go, and each later one knows of it', async () => {
  const asleep = await acquire();
  await age(asleep.token);
  const second = await acquire();
  expect(second.ousted).toEqual([`${asleep.token}.ousted`]);
  expect(await asleep.release()).toBe(false);
  expect(await second.release()).toBe(true);
  expect((await acquire()).ousted).toEqual(second.ousted);
});

test('an ousted writer no longer reaches the log, and the next one holds the same events', async () => {
  const files = conversationFiles(directory, 'c');
  const asleep = await lockLog(files, { ...options, create: true });
  if (!('handle' in asleep)) return expect.unreachable();
  await asleep.handle.write('before\n');
  for (const token of await readdir(files.lock)) await age(join(files.lock, token));

  const next = await lockLog(files, { ...options, create: false });
  if (!('handle' in next)) return expect.unreachable();
  await asleep.handle.write('from the grave\n');
  await next.handle.write('after\n');
  expect(await readFile(files.log, 'utf8')).toBe('before\nafter\n');
  expect(await asleep.release()).toBe(false);
  expect(await next.release()).toBe(true);
  expect(await readdir(directory)).toEqual(['c.jsonl']);
});

test('who was ousted before it could replace the log does not replace it', async () => {
  const log = join(directory, 'c.jsonl');
  await writeFile(log, 'before\n');
  await mkdir(folder);
  await writeFile(join(folder, '1.elsewhere.x.ousted'), '');
  const asleep = await acquire();
  await age(asleep.token);
  const next = await acquire();
  await replaceLog(log, next);
  await writeFile(log, 'after\n', { flag: 'a' });
  await replaceLog(log, asleep);
  expect(await readFile(log, 'utf8')).toBe('before\nafter\n');
});
