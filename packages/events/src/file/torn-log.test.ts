import { truncateSync } from 'node:fs';
import { appendFile, mkdtemp, open, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { EventStoreError, InvalidEventError } from '../errors.js';
import type { Event } from '../event.js';
import { logBuilder } from '../testing/index.js';
import { fileEventStore } from './file-event-store.js';
import type { RepairReport } from './repair.js';

let directory: string;
let file: string;
let reports: RepairReport[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  file = join(directory, 'c.jsonl');
  reports = [];
});

afterEach(async () => await rm(directory, { recursive: true }));

const store = () => fileEventStore({ directory, fsync: false, onRepair: (report) => reports.push(report) });

async function read(): Promise<string[]> {
  const ids: string[] = [];
  for await (const event of store().read('c')) ids.push(event.id);
  return ids;
}

function events(count: number): readonly Event[] {
  const log = logBuilder();
  for (let number = 1; number <= count; number++) log.user(`é ${number}`);
  return log.events;
}

test('a log is one event a line, and only the lines of one append are marked, by a space', async () => {
  const [first, ...others] = events(4);
  await store().append('c', [first as Event]);
  await store().append('c', others);
  const text = await readFile(file, 'utf8');
  expect(text.split('\n').map((line) => line.slice(0, 2))).toEqual(['{"', ' {', ' {', '{"', '']);
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(events(4));
  expect(await readdir(directory)).toEqual(['c.jsonl']);
});

test('an append cut at any byte is there as a whole or not at all, and the log goes on', async () => {
  const all = events(5);
  await store().append('c', all.slice(0, 2));
  const before = (await readFile(file)).length;
  await store().append('c', all.slice(2, 4));
  const whole = await readFile(file);
  const lineEnd = whole.indexOf('\n', before) + 1;
  // But where CI tests thoroughly, each byte at the ends of the two lines and in their characters of two bytes, and each ninth of the others.
  const isMet = (size: number) =>
    process.env['PALIMPSEST_THOROUGH'] === 'true' ||
    [before, lineEnd, whole.length].some((end) => Math.abs(size - end) <= 3) ||
    whole[size - 1] === 0xc3 ||
    size % 9 === 0;
  for (let size = before; size <= whole.length; size++) {
    if (!isMet(size)) continue;
    reports = [];
    await writeFile(file, whole.subarray(0, size));
    const isWhole = size >= whole.length - 1;
    const kept = isWhole ? 4 : 2;
    // A reader repairs as a writer does: take them in turn.
    if (size % 2 === 0) expect(await read()).toHaveLength(kept);
    expect(await store().append('c', all.slice(4))).toEqual({ version: kept + 1 });
    expect(await read()).toHaveLength(kept + 1);

    const torn = size - before;
    if (torn === 0 || size === whole.length) expect(reports).toEqual([]);
    else if (isWhole)
      expect(reports).toEqual([{ conversationId: 'c', file, line: 3, repair: 'newline-added', tornBytes: 0 }]);
    else {
      const savedTo = reports[0]?.savedTo ?? '';
      expect(reports).toEqual([{ conversationId: 'c', file, line: 3, repair: 'truncated', tornBytes: torn, savedTo }]);
      expect(await readFile(savedTo)).toEqual(whole.subarray(before, size));
    }
  }
});

test.each([
  ['a last line that is not JSON', '{"type":"mess\n'],
  ['the first byte of an append', ' '],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xc3])],
  ['pages that were never written', Buffer.alloc(9000)],
  ['a page that was never written inside an append', `\0\0\0\0"}\n ${JSON.stringify(events(1)[0])}\n`],
])('%s is cut off, kept and reported', async (_, torn) => {
  await store().append('c', events(2));
  const whole = await readFile(file);
  await appendFile(file, torn);
  expect(await read()).toEqual(['event-1', 'event-2']);
  expect(await readFile(file)).toEqual(whole);
  expect(reports).toMatchObject([{ line: 3, repair: 'truncated', savedTo: `${file.replace('.jsonl', '')}.torn-1` }]);
  expect(await readFile(reports[0]?.savedTo ?? '')).toEqual(Buffer.from(torn));
  expect(await read()).toHaveLength(2);
  expect(reports).toHaveLength(1);
});

test('blank lines are no events and no errors: before, between and behind events, also as Windows ends them', async () => {
  const [first, second, third, fourth, fifth] = events(5).map((event) => JSON.stringify(event));
  const text = `\n\r\n${first}\n \t\n\n ${second}\r\n\r\n${third}\n\n\n`;
  await writeFile(file, text);
  const known = store();
  expect(await read()).toEqual(['event-1', 'event-2', 'event-3']);
  for (let from = 0; from <= 4; from++) {
    const ids: string[] = [];
    for await (const event of known.read('c', { from })) ids.push(event.id);
    expect(ids).toEqual(['event-1', 'event-2', 'event-3'].slice(from));
  }
  for await (const conversation of known.list()) expect(conversation).toEqual({ conversationId: 'c', version: 3 });
  // By a store that knows the log, and by one that does not.
  const last = [fourth, fifth].map((line) => JSON.parse(line ?? '') as Event);
  expect(await known.append('c', last.slice(0, 1), { expectedVersion: 3 })).toEqual({ version: 4 });
  await appendFile(file, '\r\n');
  expect(await store().append('c', last.slice(1), { expectedVersion: 4 })).toEqual({ version: 5 });
  expect(await known.append('c', events(1), { expectedVersion: 5 })).toEqual({ version: 6 });
  expect((await readFile(file, 'utf8')).startsWith(text)).toBe(true);
  expect(reports).toEqual([]);
});

test('a log of blank lines is an empty conversation', async () => {
  await writeFile(file, '\n \r\n');
  expect(await read()).toEqual([]);
  expect(await store().append('c', events(1), { expectedVersion: 0 })).toEqual({ version: 1 });
  expect(await read()).toEqual(['event-1']);
  expect(reports).toEqual([]);
});

test('lines are counted with the blank ones where something is wrong in them', async () => {
  const [line] = events(1).map((event) => `${JSON.stringify(event)}\n`);
  await writeFile(file, `\n${line}\nnot JSON\n${line}`);
  await expect(read()).rejects.toMatchObject({ line: 4 });
  await writeFile(
    file,
    Buffer.concat([Buffer.from(`\n${line}\n`), Buffer.from([0x22, 0xff, 0x22, 0x0a]), Buffer.from(line ?? '')]),
  );
  await expect(read()).rejects.toMatchObject({ line: 4, message: expect.stringContaining('not UTF-8') });
  await writeFile(file, `\n${line}\n{"torn`);
  expect(await read()).toEqual(['event-1']);
  expect(reports).toMatchObject([{ line: 4, repair: 'truncated', tornBytes: 6 }]);
  // What stands behind the first half of an append goes with it.
  await writeFile(file, `${line} ${line}\n\n`);
  expect(await read()).toEqual(['event-1']);
  expect(reports[1]).toMatchObject({ line: 2, repair: 'truncated', tornBytes: 3 + Buffer.byteLength(line ?? '') });
});

test('a torn end that a writer cuts off while it is looked at is no error', async () => {
  const handle = await open(process.execPath, 'r');
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const { read: readBytes } = prototype;
  onTestFinished(() => void (prototype.read = readBytes));
  const [first, second, third] = events(3).map((event) => `${JSON.stringify(event)}\n`);
  let cuts = 0;
  for (let cutBefore = 1; cutBefore <= 8; cutBefore++) {
    await writeFile(file, `${first} ${second} ${third}{"torn`);
    let reads = 0;
    prototype.read = function (this: unknown, ...parameters: never[]) {
      if (++reads === cutBefore) {
        truncateSync(file, Buffer.byteLength(first ?? ''));
        cuts++;
      }
      return (readBytes as (...given: never[]) => unknown).apply(this, parameters);
    } as typeof readBytes;
    expect(await read()).toEqual(['event-1']);
  }
  expect(cuts).toBe(8);
});

test('every torn end is kept in a file of its own', async () => {
  for (const torn of ['{"a', '{"b']) {
    await store().append('c', [events(1)[0] as Event]);
    await appendFile(file, torn);
  }
  await expect(read()).resolves.toHaveLength(2);
  expect((await readdir(directory)).sort()).toEqual(['c.jsonl', 'c.torn-1', 'c.torn-2']);
});

test.each([
  ['not JSON', 'not JSON\n', 'it is not JSON'],
  ['no event', '{"type":"message","id":"m"}\n', "type 'message', id 'm'"],
  ['an event cut short and closed by hand', '{"type":"pause"}\n', "'id'"],
  ['not UTF-8', Buffer.from([0x22, 0xff, 0x22, 0x0a]), 'it is not UTF-8'],
])(
  'a line in the middle that is %s is an error that names file and line, and changes nothing',
  async (_, line, reason) => {
    const [first, second, third] = events(3).map((event) => `${JSON.stringify(event)}\n`);
    const broken = Buffer.concat([first, second, line, third].map((part) => Buffer.from(part ?? '')));
    await writeFile(file, broken);
    const seen: string[] = [];
    const failure = (async () => {
      for await (const event of store().read('c')) seen.push(event.id);
    })();
    await expect(failure).rejects.toThrow(EventStoreError);
    await expect(failure).rejects.toMatchObject({ file, line: 3, message: expect.stringContaining(reason) });
    await expect(failure).rejects.toMatchObject({ cause: expect.any(InvalidEventError) });
    // What stands before it is handed out.
    expect(seen).toEqual(['event-1', 'event-2']);
    expect(await readFile(file)).toEqual(broken);
    expect(reports).toEqual([]);
  },
);

test.each([
  ['JSON that is no event', '{"role":"user","content":"hi"}\n'],
  ['JSON that is no event, and lacks its newline', '{"role":"user","content":"hi"}'],
  ['two lines that are not JSON', 'some text\nand more\n'],
])('%s at the end was not torn by a crash: reading and appending fail, and change nothing', async (_, foreign) => {
  await store().append('c', events(2));
  await appendFile(file, foreign);
  const before = await readFile(file);
  await expect(read()).rejects.toMatchObject({ code: 'event-store', file, line: 3 });
  await expect(store().append('c', events(1))).rejects.toMatchObject({ code: 'event-store', file, line: 3 });
  expect(await readFile(file)).toEqual(before);
  // A list is not kept from its other conversations.
  await store().append('d', events(1));
  const listed: string[] = [];
  for await (const { conversationId } of store().list()) listed.push(conversationId);
  expect(listed.sort()).toEqual(['c', 'd']);
});

test('a log that holds nothing but a torn line is an empty conversation', async () => {
  await writeFile(file, '{"type":"us');
  const listed: unknown[] = [];
  for await (const conversation of store().list()) listed.push(conversation);
  expect(listed).toEqual([]);
  expect(await store().append('c', events(1), { expectedVersion: 0 })).toEqual({ version: 1 });
});

test('a store that knows a log sees that it was torn, cut or replaced since', async () => {
  const known = store();
  const all = events(6);
  await known.append('c', all.slice(0, 3));
  const size = (await readFile(file)).length;
  await appendFile(file, '{"torn');
  expect(await known.append('c', all.slice(3, 4), { expectedVersion: 3 })).toEqual({ version: 4 });
  await truncate(file, size);
  expect(await known.append('c', all.slice(4, 5))).toEqual({ version: 4 });
  // Another log of the same name, longer than the one it knows, with other lines.
  await writeFile(file, all.map((event) => `${JSON.stringify(event)}   \n`).join(''));
  expect(await known.append('c', events(1))).toEqual({ version: 7 });
});

test('what is told of a repair may throw, and by default is a warning of the process', async () => {
  await store().append('c', events(1));
  await appendFile(file, '{"torn');
  const throwing = fileEventStore({
    directory,
    onRepair: () => {
      throw new Error('the reporter broke');
    },
  });
  expect(await throwing.append('c', events(1))).toEqual({ version: 2 });

  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  await appendFile(file, '{"torn');
  await fileEventStore({ directory }).append('c', events(1));
  expect(emitWarning).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(`${file}:3: 6 bytes`), {
    type: 'PalimpsestRepair',
    code: 'PALIMPSEST_TRUNCATED',
  });
  emitWarning.mockRestore();
});
