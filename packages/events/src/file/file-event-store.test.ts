import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EventStoreError } from '../errors.js';
import { EventLog } from '../event-log.js';
import type { Event } from '../event.js';
import { memoryEventStore } from '../memory-event-store.js';
import { logBuilder } from '../testing/index.js';
import { fileEventStore } from './file-event-store.js';
import { HeartbeatWatch, writerTokens } from './writer-life.js';
import { acquireLock } from './writer-lock.js';

let directory: string;

beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'palimpsest-'))));

afterEach(async () => await rm(directory, { recursive: true }));

async function readIds(store = fileEventStore({ directory }), from = 0): Promise<string[]> {
  const ids: string[] = [];
  for await (const event of store.read('c', { from })) ids.push(event.id);
  return ids;
}

function events(count: number, text = 'hello'): readonly Event[] {
  const log = logBuilder();
  for (let number = 1; number <= count; number++) log.user(text);
  return log.events;
}

test('an event log goes on where another process left it', async () => {
  const store = fileEventStore({ directory: join(directory, 'not', 'there', 'yet') });
  const log = await EventLog.open('c', { store });
  await log.append(...events(3));
  const again = await EventLog.open('c', {
    store: fileEventStore({ directory: join(directory, 'not', 'there', 'yet') }),
  });
  expect([...again]).toEqual([...log]);
});

test('the folder is created by the first append and by nothing else', async () => {
  const store = fileEventStore({ directory: join(directory, 'later') });
  expect(await readIds(store)).toEqual([]);
  for await (const _ of store.list()) expect.unreachable();
  await store.append('c', []);
  await expect(store.append('c', events(1), { expectedVersion: 4 })).rejects.toMatchObject({ actualVersion: 0 });
  expect(await readdir(directory)).toEqual([]);
  await store.append('c', events(1));
  expect(await readdir(join(directory, 'later'))).toEqual(['c.jsonl']);
});

test('an append does not read what the store already knows', async () => {
  const store = fileEventStore({ directory });
  await store.append('c', events(1000, 'x'.repeat(500)));
  const log = await open(join(directory, 'c.jsonl'), 'r+');
  // Were it read again, this would count as one line more.
  await log.write('\n', 100);
  await log.close();
  expect(await store.append('c', events(1))).toEqual({ version: 1001 });
  expect(await fileEventStore({ directory }).append('c', events(1))).toEqual({ version: 1003 });
});

test('a reading that begins later does not parse what stands before', async () => {
  await fileEventStore({ directory }).append('c', events(2000, 'x'.repeat(500)));
  const log = await open(join(directory, 'c.jsonl'), 'r+');
  await log.write('no JSON', 0);
  await log.close();
  expect(await readIds(fileEventStore({ directory }), 1999)).toEqual(['event-2000']);
  expect(await readIds(fileEventStore({ directory }), 1)).toHaveLength(1999);
  await expect(readIds()).rejects.toMatchObject({ line: 1 });
});

test('lines longer than a block are read, and blocks end anywhere in them', async () => {
  const store = fileEventStore({ directory });
  const texts = [3_000_000, 10, 262_144, 262_000, 1, 600_000].map((length) => '€'.repeat(length));
  const log = logBuilder();
  for (const text of texts) log.user(text);
  await store.append('c', log.events);
  const read: Event[] = [];
  for await (const event of fileEventStore({ directory }).read('c')) read.push(event);
  expect(read).toEqual(log.events);
});

test('lines that end as on Windows, and JSON with spaces, are read', async () => {
  const lines = events(2).map((event) => `${JSON.stringify(event, null, ' ').replaceAll('\n', ' ')}\r\n`);
  await writeFile(join(directory, 'c.jsonl'), lines.join(''));
  expect(await readIds()).toEqual(['event-1', 'event-2']);
});

test('files that are no logs are not listed', async () => {
  await writeFile(join(directory, 'notes.txt'), 'x');
  await writeFile(join(directory, 'Capital.jsonl'), 'x');
  await writeFile(join(directory, '%zz.jsonl'), 'x');
  await fileEventStore({ directory }).append('c', events(1));
  const listed: unknown[] = [];
  for await (const conversation of fileEventStore({ directory }).list()) listed.push(conversation);
  expect(listed).toEqual([{ conversationId: 'c', version: 1 }]);
});

test('a folder that is a file is an error of the store, with the original as its cause', async () => {
  const file = join(directory, 'file');
  await writeFile(file, 'x');
  const store = fileEventStore({ directory: file });
  const cause = expect.objectContaining({ code: 'ENOTDIR' });
  await expect(store.append('c', events(1))).rejects.toMatchObject({
    code: 'event-store',
    file: join(file, 'c.jsonl'),
  });
  await expect(readIds(store)).rejects.toMatchObject({ code: 'event-store', cause });
  await expect(store.list()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'event-store', cause });
});

test.skipIf(process.platform === 'win32').each([
  ['a folder', (path: string) => mkdir(path)],
  ['a named pipe', async (path: string) => void execFileSync('mkfifo', [path])],
  ['a device', (path: string) => symlink('/dev/null', path)],
])('%s in the place of a log is an error of the store at once, and stays as it was', async (kind, make) => {
  const file = join(directory, 'c.jsonl');
  await make(file);
  const before = await lstat(file);
  const store = fileEventStore({ directory });
  const refused = { code: 'event-store', file };
  await expect(readIds(store)).rejects.toMatchObject({ ...refused, message: expect.stringContaining(`it is ${kind}`) });
  await expect(store.append('c', events(1))).rejects.toMatchObject(refused);
  await expect(store.openForWriting('c')).rejects.toMatchObject(refused);
  expect((await lstat(file)).ino).toBe(before.ino);
  expect(await readdir(directory)).toEqual(['c.jsonl']);
});

test.skipIf(process.platform === 'win32')('what is no file hides no other log of a list', async () => {
  execFileSync('mkfifo', [join(directory, 'b.jsonl')]);
  await mkdir(join(directory, 'a.jsonl'));
  const store = fileEventStore({ directory });
  await store.append('c', events(1));
  const listed: string[] = [];
  for await (const { conversationId } of store.list()) listed.push(conversationId);
  expect(listed).toEqual(['c']);
});

test('a writer that keeps the log makes others fail with ConcurrencyError when their time is over', async () => {
  await fileEventStore({ directory }).append('c', events(1));
  const watch = new HeartbeatWatch(() => 0);
  const options = { tokens: writerTokens(), watch, timeoutMs: 0, waitForSilence: false };
  const lock = await acquireLock(join(directory, 'c.lock'), options);
  if (!('release' in lock)) return expect.unreachable();
  await expect(fileEventStore({ directory, lockTimeoutMs: 0 }).append('c', events(1))).rejects.toMatchObject({
    code: 'concurrency',
    message: expect.stringContaining(`process ${process.pid} has been writing`),
  });
  // Reading needs no lock, and an append that waits long enough gets it.
  expect(await readIds()).toHaveLength(1);
  const waiting = fileEventStore({ directory }).append('c', events(1));
  await lock.release();
  expect(await waiting).toEqual({ version: 2 });
});

test('an end that is being written is neither read nor repaired nor reported', async () => {
  await fileEventStore({ directory }).append('c', events(1));
  const file = join(directory, 'c.jsonl');
  const watch = new HeartbeatWatch(() => 0);
  const options = { tokens: writerTokens(), watch, timeoutMs: 0, waitForSilence: false };
  const lock = await acquireLock(join(directory, 'c.lock'), options);
  if (!('release' in lock)) return expect.unreachable();
  const before = await readFile(file, 'utf8');
  const store = fileEventStore({ directory, onRepair: () => expect.unreachable() });
  for (const unfinished of ['{"type":', JSON.stringify(events(1)[0]), ` ${JSON.stringify(events(1)[0])}\n`]) {
    await writeFile(file, before + unfinished);
    expect(await readIds(store)).toEqual(['event-1']);
    expect(await readFile(file, 'utf8')).toBe(before + unfinished);
  }
  await lock.release();
});

test('the file of a conversation keeps its permissions when the log is replaced', async () => {
  const store = fileEventStore({ directory });
  await store.append('c', events(2));
  const file = join(directory, 'c.jsonl');
  await chmod(file, 0o640);
  const lock = join(directory, 'c.lock');
  await mkdir(lock);
  await writeFile(join(lock, `1.elsewhere.1.x.ousted`), '');
  const { ino } = await stat(file);
  expect(await store.append('c', events(1), { expectedVersion: 2 })).toEqual({ version: 3 });
  const replaced = await stat(file);
  expect(replaced.ino).not.toBe(ino);
  expect(replaced.mode & 0o777).toBe(0o640);
  expect(await readIds()).toHaveLength(3);
  expect(await readdir(directory)).toEqual(['c.jsonl']);
});

test.skipIf(process.platform !== 'linux')(
  'a folder that can never be created is an error, not an endless wait',
  async () => {
    const store = fileEventStore({ directory: '/proc/palimpsest/logs' });
    await expect(store.append('c', [logBuilder().user('Hi.')])).rejects.toThrow(EventStoreError);
  },
);

test('a store without a directory is refused, with what to pass', () => {
  for (const options of [undefined, null, {}, { directory: undefined }, { directory: 7 }, './logs']) {
    const create = () => fileEventStore(options as never);
    expect(create).toThrow(EventStoreError);
    expect(create).toThrow("pass { directory: '…' }");
  }
});

test('an expected version that is no number of events is refused by every append, and nothing is appended', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  try {
    const [event] = [logBuilder().user('Go.')];
    for (const store of [memoryEventStore(), fileEventStore({ directory })]) {
      for (const expectedVersion of [NaN, -1, 0.5, Infinity, '0' as never]) {
        const refused = `Cannot append at version ${String(expectedVersion)}`;
        await expect(store.append('c', [event], { expectedVersion })).rejects.toThrow(refused);
        await expect(store.append('c', [], { expectedVersion })).rejects.toThrow(EventStoreError);
        const writer = await store.openForWriting?.('c');
        await expect(writer?.append([event], { expectedVersion })).rejects.toThrow(refused);
        await writer?.close();
      }
      expect(await store.append('c', [event], { expectedVersion: 0 })).toEqual({ version: 1 });
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});
