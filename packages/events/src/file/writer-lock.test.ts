import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { conversationFiles } from './conversation-files.js';
import { HeartbeatWatch, silenceMs, writerTokens } from './writer-life.js';
import { acquireLock, lockLog, replaceLog } from './writer-lock.js';
import type { LockOptions, WriterLock } from './writer-lock.js';

let directory: string;
let folder: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  folder = join(directory, 'c.lock');
});

afterEach(async () => await rm(directory, { recursive: true }));

let now = 0;
const waiting = { timeoutMs: 0, waitForSilence: false };
const options = { ...waiting, tokens: writerTokens(), watch: new HeartbeatWatch(() => now) };
/** Of another machine, which cannot see whether a process of this one lives. */
const elsewhere = { ...options, tokens: writerTokens('elsewhere') };

async function acquire(given: LockOptions = options): Promise<WriterLock> {
  const lock = await acquireLock(folder, given);
  if ('release' in lock) return lock;
  throw new Error(`the lock is held by ${lock.holder}`);
}

/** Takes the lock from those who have it, as another machine does after it has heard nothing of them for long enough. */
async function takeOver(): Promise<WriterLock> {
  await expect(acquire(elsewhere)).rejects.toThrow('held');
  now += silenceMs;
  return acquire(elsewhere);
}

test('one writer has the lock, the next one gets it afterwards, and nothing is left behind', async () => {
  const lock = await acquire();
  expect(await acquireLock(folder, options)).toEqual({ holder: `process ${process.pid}`, isHeld: false });
  expect(await lock.release()).toBe(true);
  expect(await (await acquire()).release()).toBe(true);
  expect(await readdir(directory)).toEqual([]);
});

test('of many writers at the same time no two have it, and none tries again and again, however slow the machine is', async () => {
  let tries = 0;
  const slow: LockOptions['tokens'] = {
    create: () => {
      tries++;
      return options.tokens.create();
    },
    lifeOf: (token) => {
      for (const end = performance.now() + 2; performance.now() < end;);
      return options.tokens.lifeOf(token);
    },
  };
  let holders = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      const lock = await acquireLock(folder, { ...options, tokens: slow, timeoutMs: 600_000 });
      if (!('release' in lock)) throw new Error(`the lock is held by ${lock.holder}`);
      most = Math.max(most, ++holders);
      await readdir(directory);
      holders--;
      await lock.release();
    }),
  );
  expect(most).toBe(1);
  // Each tries a few times, and some more where the machine does other work.
  expect(tries).toBeLessThanOrEqual(8 * 12);
});

test('the file of a dead process is removed at once, and nobody is ousted', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const [, place] = options.tokens.create().split('.');
  await mkdir(folder);
  await writeFile(join(folder, `${pid}.${place}.1.killed`), '');
  const lock = await acquire();
  expect(lock.ousted).toEqual([]);
  expect(await readdir(folder)).toEqual([basename(lock.token)]);
});

test('a process whose number is used again is dead, and one that is stopped is alive, however long it is silent', async () => {
  const [pid, place, startTime = ''] = options.tokens.create().split('.');
  await mkdir(folder);
  // What has this number now began at another time.
  await writeFile(join(folder, `${pid}.${place}.${Number(startTime) - 1}.x`), '7');
  const lock = await acquire();
  expect(lock.ousted).toEqual([]);
  await lock.release();

  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
  const began = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  child.kill('SIGSTOP');
  await mkdir(folder);
  const token = join(folder, `${child.pid}.${place}.${began}.x`);
  await writeFile(token, '7');
  for (let look = 0; look < 3; look++, now += 10 * silenceMs) {
    expect(await acquireLock(folder, options)).toEqual({ holder: `process ${child.pid}`, isHeld: true });
  }
  // Killed, and not yet waited for by its parent for as long as this does not let go: it is no longer alive all the same.
  child.kill('SIGKILL');
  for (let [state, threads] = ['', '']; state !== 'Z' || Number(threads) > 1;) {
    // The first thread has ended before the others.
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').replace(/.*\) /s, '').split(' ');
    [state = 'Z', threads = '0'] = [fields[0], fields[17]];
  }
  expect(options.tokens.lifeOf(basename(token))).toBe('dead');
  expect((await acquire()).ousted).toEqual([]);
});

test('a process of another machine or container is not judged by its number, and is ousted when it is silent', async () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const token = join(folder, `${pid}.elsewhere.1.x`);
  await mkdir(folder);
  await writeFile(token, '1');
  const holder = expect.stringContaining(`process ${pid}, perhaps on another machine`) as string;
  const busy = { holder, isHeld: true };
  expect(await acquireLock(folder, options)).toEqual(busy);
  now += silenceMs - 1;
  expect(await acquireLock(folder, options)).toEqual(busy);
  // It lives: the silence begins anew.
  await writeFile(token, '2');
  expect(await acquireLock(folder, options)).toEqual(busy);
  now += silenceMs - 1;
  expect(await acquireLock(folder, options)).toEqual(busy);
  now += 1;
  expect((await acquire()).ousted).toEqual([`${token}.ousted`]);
});

test('who waits until it is known whether the other one lives gets the lock, or learns that it does', async () => {
  const token = join(folder, '1.elsewhere.1.x');
  await mkdir(folder);
  await writeFile(token, '1');
  const looking = (watch: HeartbeatWatch) => acquireLock(folder, { ...options, watch, waitForSilence: true });
  // Each look is a second later.
  const seconds = (onSecond: (second: number) => void) => {
    let second = 0;
    return new HeartbeatWatch(() => (onSecond(++second), second * 1000));
  };
  const beating = seconds((second) => {
    if (second === 20) writeFileSync(token, '2');
  });
  expect(await looking(beating)).toMatchObject({ isHeld: true });
  const silent = await looking(seconds(() => undefined));
  expect(silent).toMatchObject({ ousted: [`${token}.ousted`] });
});

test('files of other programs in the folder are neither waited for nor touched', async () => {
  await mkdir(join(folder, 'notes.d'), { recursive: true });
  const foreign = ['.DS_Store', '.nfs00000001', 'notes.ousted', '1.elsewhere'];
  for (const name of foreign) await writeFile(join(folder, name), name);
  const lock = await acquire();
  expect(lock.ousted).toEqual([]);
  expect(await lock.release()).toBe(true);
  expect((await readdir(folder)).sort()).toEqual([...foreign, 'notes.d'].sort());
});

test('an empty folder is a lock that nobody has', async () => {
  await mkdir(folder);
  await acquire();
});

test('an ousted writer is told when it lets go, and each later one knows of it', async () => {
  const asleep = await acquire();
  expect(asleep.isOurs()).toBe(true);
  const second = await takeOver();
  expect(asleep.isOurs()).toBe(false);
  expect(second.isOurs()).toBe(true);
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
  expect(await lockLog(files, { ...elsewhere, create: false })).toMatchObject({ isHeld: false });
  now += silenceMs;
  const next = await lockLog(files, { ...elsewhere, create: false });
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
  await writeFile(join(folder, '1.elsewhere.1.x.ousted'), '');
  const asleep = await acquire();
  const next = await takeOver();
  await replaceLog(log, next);
  await writeFile(log, 'after\n', { flag: 'a' });
  await replaceLog(log, asleep);
  expect(await readFile(log, 'utf8')).toBe('before\nafter\n');
});
