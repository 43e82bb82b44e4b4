import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ConversationBusyError, DuplicateEventError, WriterOustedError } from '../errors.js';
import { EventLog } from '../event-log.js';
import type { ConversationWriter, EventStore } from '../event-store.js';
import { logBuilder } from '../testing/index.js';
import { fileEventStore, maxOpenFiles } from './file-event-store.js';
import { silenceMs } from './writer-life.js';

let directory: string;

// No writer counts on by itself: one that did so between two looks of a stranger, on a machine that is slow, would not be ousted.
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  directory = await mkdtemp(join(tmpdir(), 'palimpsest-'));
});

afterEach(async () => {
  vi.useRealTimers();
  await rm(directory, { recursive: true });
});

const event = (id = 'event-1') => ({ ...logBuilder().user('Hello.'), id });

async function opened(store: EventStore, conversationId = 'c'): Promise<ConversationWriter> {
  const writer = await store.openForWriting?.(conversationId);
  if (writer === undefined) throw new Error('the file store cannot be opened for writing');
  return writer;
}

/** A store of another machine, which looks again half a minute later each time. */
function stranger(): EventStore {
  let now = 0;
  return fileEventStore({ directory, machineId: 'another', monotonicNow: () => (now += silenceMs) });
}

async function readIds(store: EventStore, from = 0): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of store.read('c', { from })) ids.push(id);
  return ids;
}

const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test.skipIf(process.platform === 'win32')(
  "new logs and folders are their owner's alone, and old ones stay as they are",
  async () => {
    const parent = join(directory, 'given');
    await mkdir(parent);
    await chmod(parent, 0o755);
    const folder = join(parent, 'new', 'logs');
    const store = fileEventStore({ directory: folder });
    const long = 'x'.repeat(300);
    for (const id of ['c', long]) await store.append(id, [event()]);
    const writer = await opened(store);
    expect(await mode(parent)).toBe('755');
    for (const made of [join(parent, 'new'), folder, join(folder, 'c.lock')]) expect(await mode(made)).toBe('700');
    const [token = ''] = await readdir(join(folder, 'c.lock'));
    const files = (await readdir(folder)).filter((name) => name !== 'c.lock');
    expect(files).toHaveLength(3);
    for (const name of [...files, join('c.lock', token)]) expect(await mode(join(folder, name))).toBe('600');
    await writer.close();

    // What a crash left is kept in a file that is nobody else's either.
    await chmod(join(folder, 'c.jsonl'), 0o644);
    await writeFile(join(folder, 'c.jsonl'), '{"torn', { flag: 'a' });
    await (await opened(fileEventStore({ directory: folder, onRepair: () => undefined }))).close();
    expect(await mode(join(folder, 'c.torn-1'))).toBe('600');
    expect(await mode(join(folder, 'c.jsonl'))).toBe('644');
  },
);

test.skipIf(process.platform !== 'linux')(
  'any number of conversations may be open for writing, with a bounded number of open files',
  async () => {
    const store = fileEventStore({ directory, fsync: false });
    const openFiles = async () => {
      const names = await Promise.all(
        (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
      );
      return names.filter((name) => name.startsWith(directory) && name.endsWith('.jsonl')).length;
    };
    const ids = Array.from({ length: maxOpenFiles + 20 }, (_, index) => `c${index}`);
    const writers: ConversationWriter[] = [];
    for (const id of ids) writers.push(await opened(store, id));
    expect(await openFiles()).toBe(maxOpenFiles);
    for (let round = 0; round < 3; round++) {
      const appended = await Promise.all(writers.map((writer) => writer.append([event(`event-${round}`)])));
      expect(appended.every(({ version }) => version === round + 1)).toBe(true);
      expect(await openFiles()).toBeLessThanOrEqual(maxOpenFiles);
      // Single appends need their places, too.
      expect(await store.append(`other-${round}`, [event()])).toEqual({ version: 1 });
    }
    await expect(opened(store, 'c0')).rejects.toThrow(ConversationBusyError);
    await Promise.all(writers.map((writer) => writer.close()));
    expect(await openFiles()).toBe(0);
    await (await opened(store, 'c0')).close();
  },
);

test('a writer whose file was closed for others, and that was ousted meanwhile, does not reach the log that took its place', async () => {
  const store = fileEventStore({ directory, fsync: false });
  const writer = await opened(store);
  await writer.append([event('mine')]);
  const others: ConversationWriter[] = [];
  for (let index = 0; index < maxOpenFiles; index++) others.push(await opened(store, `other-${index}`));
  const next = await opened(stranger());
  await next.append([event('theirs')]);
  await expect(writer.append([event('late')])).rejects.toThrow(WriterOustedError);
  await expect(writer.append([event('later')])).rejects.toThrow(WriterOustedError);
  await writer.close();
  await next.append([event('theirs too')]);
  await Promise.all([next, ...others].map((each) => each.close()));
  expect(await readIds(store)).toEqual(['mine', 'theirs', 'theirs too']);
  // Letting go of what it had no longer must not let others in, and who comes next reads what there is.
  const again = await opened(store);
  expect(await again.append([event('mine again')], { expectedVersion: 3 })).toEqual({ version: 4 });
  await again.close();
});

test('who looks on from another machine: a writer that counts on is alive, one that does not is taken for dead', async () => {
  const writer = await opened(fileEventStore({ directory }));
  const [token = ''] = await readdir(join(directory, 'c.lock'));
  // For this one no time passes, so all that can end its waiting is the count.
  const looking = opened(fileEventStore({ directory, machineId: 'another', monotonicNow: () => 0 })).catch(
    (error: unknown) => error,
  );
  let isBusy: unknown;
  void looking.then((error) => (isBusy = error));
  // The writer's timer would do this every five seconds.
  for (let count = 2; isBusy === undefined; count++) {
    await writeFile(join(directory, 'c.lock', token), String(count), { flag: 'r+' });
    await new Promise(setImmediate);
  }
  expect(isBusy).toBeInstanceOf(ConversationBusyError);
  expect(isBusy).toMatchObject({ conversationId: 'c', holder: expect.stringContaining('another machine') as string });
  expect(await writer.append([event('mine')])).toEqual({ version: 1 });
  const next = await opened(stranger());
  await expect(writer.append([event('late')])).rejects.toMatchObject({ code: 'writer-ousted', conversationId: 'c' });
  expect(await next.append([event('theirs')], { expectedVersion: 1 })).toEqual({ version: 2 });
  await next.close();
  await writer.close();
});

test('to read on costs what was added, wherever it was added', async () => {
  const store = fileEventStore({ directory });
  await store.append(
    'c',
    Array.from({ length: 1000 }, (_, index) => event(`event-${index}`)),
  );
  expect(await readIds(store, 1000)).toEqual([]);
  const log = await open(join(directory, 'c.jsonl'), 'r+');
  // Were it read again, this would count as one line more.
  await log.write('\n', 100);
  await log.close();
  const other = fileEventStore({ directory });
  const writer = await opened(other);
  expect(await writer.append([event('more')])).toEqual({ version: 1002 });
  await writer.close();
  expect(await readIds(store, 1000)).toEqual(['more']);
  expect((await readFile(join(directory, 'c.jsonl'), 'utf8')).includes('more')).toBe(true);
});

/** Counts the calls of `fsync` and `fdatasync` on files from now on. */
async function countSyncs(): Promise<() => number> {
  const handle = await open(process.execPath, 'r');
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const spies = [vi.spyOn(prototype, 'sync'), vi.spyOn(prototype, 'datasync')];
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  return () => spies.reduce((calls, spy) => calls + spy.mock.calls.length, 0);
}

const twenty = Array.from({ length: 20 }, (_, index) => `event-${index}`);
/** One event, or two, for each of the twenty. */
const eventsOf = (id: string, index: number) => (index % 2 === 0 ? [event(id)] : [event(id), event(`${id}-more`)]);
const thirty = twenty.flatMap((id, index) => eventsOf(id, index).map((each) => each.id));

test('twenty appends of a log that is open for writing take two calls of fdatasync; a repeated id fails alone', async () => {
  const log = await EventLog.open('c', { store: fileEventStore({ directory }) });
  const right = await log.openForWriting();
  await log.append(event('first'));
  const syncs = await countSyncs();
  const appended = twenty.map((id, index) => log.append(eventsOf(id, index)));
  const repeated = log.append(event('event-3'));
  await expect(repeated).rejects.toThrow(DuplicateEventError);
  await Promise.all(appended);
  expect(syncs()).toBeLessThanOrEqual(2);
  await right.close();
  expect([...log].map(({ id }) => id)).toEqual(['first', ...thirty]);
  expect(await readIds(fileEventStore({ directory }))).toEqual(['first', ...thirty]);
});

test('closing a writer waits for its appends, which take effect in order', async () => {
  const writer = await opened(fileEventStore({ directory }));
  const appended = ['one', 'two', 'three'].map((id) => writer.append([event(id)]));
  await writer.close();
  expect(await Promise.all(appended)).toEqual([{ version: 1 }, { version: 2 }, { version: 3 }]);
  expect(await readIds(fileEventStore({ directory }))).toEqual(['one', 'two', 'three']);
});

test('of appends at the same time the one that expects another version fails alone', async () => {
  const store = fileEventStore({ directory });
  const writer = await opened(store);
  const appends: ConversationWriter['append'][] = [writer.append, (...parameters) => store.append('d', ...parameters)];
  for (const append of appends) {
    const results = await Promise.allSettled([
      append([event('one')], { expectedVersion: 0 }),
      append([event('late')], { expectedVersion: 0 }),
      append([event('two'), event('three')], { expectedVersion: 1 }),
      append([event('early')], { expectedVersion: 4 }),
      append([event('four')], { expectedVersion: 3 }),
    ]);
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value.version : 'rejected'))).toEqual([
      1,
      'rejected',
      3,
      'rejected',
      4,
    ]);
    for (const [index, actualVersion] of [[1, 1] as const, [3, 3] as const]) {
      expect(results[index]).toMatchObject({ reason: { code: 'concurrency', actualVersion } });
    }
  }
  await writer.close();
  expect(await readIds(store)).toEqual(['one', 'two', 'three', 'four']);
});

test.skipIf(process.platform !== 'linux')(
  'appends that the system does not write fail, each with its own error',
  async () => {
    // A file that can be opened to write, and takes nothing but numbers.
    await symlink('/proc/self/oom_score_adj', join(directory, 'c.jsonl'));
    const store = fileEventStore({ directory });
    const results = await Promise.allSettled([
      store.append('c', [event('one')], { expectedVersion: 0 }),
      store.append('c', [event('late')], { expectedVersion: 0 }),
      store.append('c', [event('two'), event('three')]),
    ]);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'event-store', cause: { code: 'EINVAL' } } });
    }
    expect(new Set(results.map((result) => (result as PromiseRejectedResult).reason as unknown)).size).toBe(3);
  },
);
