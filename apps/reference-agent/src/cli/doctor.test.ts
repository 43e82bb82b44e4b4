import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EventLog } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { logBuilder } from '@palimpsest/events/testing';
import { expect, test } from 'vitest';
import { headlessRig } from '../../test-support/headless-rig.js';
import { doctorCommand } from './doctor.js';
import type { DoctorFlags } from './doctor.js';

const events = (() => {
  const log = logBuilder();
  for (const text of ['First.', 'Größe, 10 €', 'Third: {"a":1}', 'Last.']) log.user(text);
  return log.events;
})();
const [a = '', b = '', c = '', d = ''] = events.map((event) => JSON.stringify(event));
const all = events.map(({ id }) => id);
const bom = '\ufeff';
const file = (...lines: readonly (string | Buffer)[]) =>
  Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]));
const foreign = '{"role":"user","content":"hi"}';
const cut = '{"type":"message","id":"cut","timesta';

async function examined(log: Buffer, flags: DoctorFlags = {}) {
  const rig = await headlessRig({});
  const path = join(rig.workspace, 'log.jsonl');
  await writeFile(path, log);
  const look = () => rig.command((surroundings) => doctorCommand('log.jsonl', flags, surroundings));
  const ran = await look();
  expect(await readFile(path)).toEqual(log);
  return { ...ran, path, copy: join(rig.workspace, 'log.repaired.jsonl'), look };
}

/** The ids in a log as an agent opens it. */
async function opened(path: string): Promise<readonly string[]> {
  const directory = join(path, '..', 'opened');
  await mkdir(directory);
  await rename(path, join(directory, 'log.jsonl'));
  const store = fileEventStore({ directory, onRepair: ({ repair }) => expect.unreachable(repair) });
  return [...(await EventLog.open('log', { store }))].map(({ id }: Event) => id);
}

const leftOutIn = async (copy: string) =>
  (await readFile(copy.replace('.jsonl', '.left-out.jsonl'), 'utf8').catch(() => ''))
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { readonly text?: string; readonly base64?: string }]))
    .map(({ text, base64 }) => text ?? Buffer.from(base64 ?? '', 'base64').toString('latin1'));

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const brokenLine = Buffer.concat(
  [b.slice(0, b.indexOf('10')), '\xff', b.slice(b.indexOf('10'))].map((part) =>
    Buffer.from(part, part === '\xff' ? 'latin1' : 'utf8'),
  ),
);
const windows1252 = (text: string) => Buffer.from(text.replace('€', '\x80'), 'latin1');

test.each<
  readonly [string, Buffer, string, { readonly ids?: readonly string[]; readonly leftOut?: readonly string[] }]
>([
  ['a mark of byte order', file(bom + a, b, c, d), 'line 1: begins with a byte order mark', {}],
  ['marks where files were joined', file(a, bom + b, c, d), 'line 2: begins with a byte order mark', {}],
  [
    'UTF-16 of a shell on Windows',
    utf16(`${bom}${[a, b, c, d].join('\r\n')}\r\n`),
    'line 1: the file is in UTF-16LE',
    {},
  ],
  ['UTF-16 without its mark', utf16(file(a, b, c, d).toString()).swap16(), 'line 1: the file is in UTF-16BE', {}],
  [
    'a line in Windows-1252',
    file(a, windows1252(b), c, d),
    'line 2: not in UTF-8',
    { leftOut: [windows1252(b).toString('latin1')] },
  ],
  [
    'a byte that is no UTF-8',
    file(a, brokenLine, c, d),
    'line 2: bytes that are not UTF-8',
    { leftOut: [brokenLine.toString('latin1')] },
  ],
  [
    'an event twice',
    file(a, b, a, c, d),
    `line 3: the id 'event-1' stands in line 1, with the same event`,
    { leftOut: [a] },
  ],
  [
    'an id twice',
    file(a, b, c.replace('event-3', 'event-1'), d),
    `line 3: the id 'event-1' stands in line 1, with another event`,
    { ids: ['event-1', 'event-2', 'event-4'], leftOut: [c.replace('event-3', 'event-1')] },
  ],
  ['an event that was cut off', file(a, cut, b, c, d), 'line 2: an event that was cut off', { leftOut: [cut] }],
  [
    'one that was cut off at the end',
    Buffer.concat([file(a, b, c, d), Buffer.from(cut)]),
    'line 5: an event that was cut off',
    { leftOut: [cut] },
  ],
  [
    'one that was cut off before another',
    file(a, b, c, cut + d),
    'line 4: an event that was cut off',
    { ids: all.slice(0, 3), leftOut: [cut + d] },
  ],
  ['a line without its end', file(a, b, c, d).subarray(0, -1), 'line 4: the last line lacks its end', {}],
  [
    'an append without its last event',
    file(a, b, c, ` ${d}`),
    'line 4: of an append that was cut off',
    { ids: all.slice(0, 3), leftOut: [d] },
  ],
  [
    'an append whose last event stands there twice',
    file(a, ` ${b}`, ` ${c}`, ` ${d}`, a),
    'line 5: the id',
    { leftOut: [a] },
  ],
  [
    'a line of another program',
    file(a, 'DEBUG started', b, foreign, c, d),
    'line 4: Not an event',
    { leftOut: ['DEBUG started', foreign] },
  ],
  [
    'bytes that were never written',
    file(a, Buffer.concat([Buffer.alloc(9), Buffer.from(b)]), Buffer.alloc(5), c, d),
    'line 2: 9 NUL bytes',
    {},
  ],
  [
    'bytes that were never written within an event',
    file(a, b, c, d, a.replace('First', '\0\0\0\0\0')),
    'line 5: not JSON',
    { leftOut: [a.replace('First', '\0\0\0\0\0')] },
  ],
  ['line ends of old systems', Buffer.from([a, b, c, d].join('\r')), 'line 1: 4 events on one line', {}],
  ['events without line ends', file(a + b, c + d), 'line 2: 2 events on one line', {}],
  ['an editor’s many lines', file(a, JSON.stringify(JSON.parse(b), null, 2), c, d), 'line 2: one event on', {}],
])(
  '%s is told and repaired; the log stays as it was, and what the copy lacks is kept',
  async (_, log, told, { ids = all, leftOut = [] }) => {
    const { status, stdout, copy } = await examined(log);
    expect(stdout).toContain(`  ${told}`);
    expect(status).toBe(1);
    expect(await leftOutIn(copy)).toEqual(leftOut);
    expect(await opened(copy)).toEqual(ids);
  },
);

test('a sound log is told to be sound: with blank lines, line ends of Windows, and events of unknown types', async () => {
  const { status, stdout, copy } = await examined(file(a, '', ` ${b}\r`, c.replace('"message"', '"acme/unknown"'), d));
  expect([status, stdout]).toEqual([0, expect.stringMatching(/log\.jsonl: 4 events, and nothing is wrong\.\n$/)]);
  await expect(readFile(copy)).rejects.toThrow('ENOENT');
});

test('an event within a text that was cut off is not taken for one of the log', async () => {
  const planted = `{"type":"observation","details":${a}`;
  const { copy } = await examined(file(b, planted, c));
  expect(await leftOutIn(copy)).toEqual([planted]);
  expect(await opened(copy)).toEqual(['event-2', 'event-3']);
});

test('what is no log at all gets no copy', async () => {
  const { status, stdout, copy } = await examined(file('some words', '\u001b[2J'));
  expect(status).toBe(1);
  expect(stdout).toContain('Nothing in it is an event');
  await expect(readFile(copy)).rejects.toThrow('ENOENT');
});

test('many damages are counted, and no file is written over', async () => {
  const { stdout, look, copy } = await examined(file(a, ...Array.from({ length: 60 }, () => '\u001b[31mx')));
  expect(stdout.split('\n')).toHaveLength(56);
  expect(stdout).toContain('  and 10 more\n');
  expect(stdout).not.toContain('\u001b');
  await expect(look()).rejects.toThrow(/left-out\.jsonl': it exists already/);
  await rm(copy.replace('.jsonl', '.left-out.jsonl'));
  await expect(look()).rejects.toThrow(/repaired\.jsonl': it exists already\. Move it away, or name another/);
  expect(await leftOutIn(copy)).toEqual([]);
});

test('what is no file is refused at once', async () => {
  const { path, look } = await examined(file(a));
  await rm(path);
  await expect(look()).rejects.toThrow(/Cannot read '.*log\.jsonl': there is no such file/);
  execFileSync('mkfifo', [path]);
  await expect(look()).rejects.toThrow('it is not a regular file');
});
