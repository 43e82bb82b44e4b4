import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEvent } from '@palimpsest/events';
import { fileEventStore } from '@palimpsest/events/file';
import { expect, test } from 'vitest';
import {
  fixture,
  jsonLines,
  noteKinds,
  sessionAt,
  sessionOf,
  withFiles,
} from '../../../test-support/fixtures/fixture-files.js';

const text = await readFile(fixture('palimpsest-jsonl.jsonl'), 'utf8');
const lines = text.trimEnd().split('\n');

test('our own log comes back as it was written', async () => {
  const session = await sessionAt(fixture('palimpsest-jsonl.jsonl'));
  expect(session.format).toBe('palimpsest-jsonl');
  expect(session.events).toEqual(lines.map((line) => JSON.parse(line) as unknown));
  expect(session.notes).toEqual([]);
});

test('what the file store wrote is read; an append that lost its last line is left out whole', async () => {
  await withFiles({}, async (directory) => {
    const store = fileEventStore({ directory, fsync: false });
    const events = lines.map((line) => parseEvent(JSON.parse(line)));
    await store.append('kettle', events.slice(0, 3));
    await store.append('kettle', events.slice(3));
    const file = join(directory, 'kettle.jsonl');
    expect((await sessionAt(file)).events).toEqual(events);
    const written = await readFile(file, 'utf8');
    await writeFile(file, written.slice(0, -5));
    const torn = await sessionAt(file);
    expect(torn.events).toEqual(events.slice(0, 3));
    expect(noteKinds(torn)).toEqual(['torn-last-line ×1', 'torn-last-line ×1', 'call-without-result ×1']);
    expect(await readFile(file, 'utf8')).toBe(written.slice(0, -5));
  });
});

test('a torn last line is noted', async () => {
  const session = await sessionOf(text.slice(0, -20));
  expect(session.events).toHaveLength(5);
  expect(session.notes).toMatchObject([{ kind: 'torn-last-line', line: 6, count: 1 }]);
});

test('any other broken line is an error that names file and line', async () => {
  const broken = lines.toSpliced(2, 1, '{"type":"action"').join('\n');
  const error: unknown = await sessionOf(broken).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'log-read' });
  expect(error).toMatchObject({ line: 3, file: expect.stringMatching(/log$/) as unknown, code: 'log-read' });
});

test('a line that is no event is an error that names line and field', async () => {
  const wrong = lines.toSpliced(1, 1, lines[1]?.replace('"role": "user"', '"role": 7') ?? '').join('\n');
  await expect(sessionOf(wrong)).rejects.toThrow(/log:2': Not a valid event \(type 'message', id 'event-1'\): 'role'/);
});

test('a repeated id is kept as the log has it and noted', async () => {
  const session = await sessionOf(`${text}${lines[5]}\n`);
  expect(session.events).toHaveLength(7);
  expect(session.notes).toMatchObject([{ kind: 'duplicate-event-id', line: 7 }]);
});

test('what stands unmatched is noted', async () => {
  const [, user, action, result] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const session = await sessionOf(
    jsonLines([
      user,
      { ...result, id: 'early' },
      action,
      result,
      { ...result, id: 'again' },
      { ...action, id: 'open' },
    ]),
  );
  expect(session.events).toHaveLength(6);
  expect(noteKinds(session)).toEqual(['result-without-call ×1', 'duplicate-result ×1', 'call-without-result ×1']);
});

test('kinds of a newer version are kept as they are, and so is a log that begins with one', async () => {
  const base = { timestamp: '2026-01-01T00:00:00.000Z' };
  const newer = [
    { ...base, id: 'a', type: 'message', source: 'hook', role: 'user', content: [{ type: 'text', text: 'Be kind.' }] },
    { ...base, id: 'b', type: 'message', source: 'user', role: 'user', content: [{ type: 'audio', data: 'AA==' }] },
    { ...base, id: 'c', type: 'message', source: 'agent', role: 'critic', content: [], score: 0.5 },
  ];
  const session = await sessionOf(`\n${jsonLines(newer).replaceAll('\n', '\r\n\n')}`);
  expect(session.format).toBe('palimpsest-jsonl');
  expect(session.notes).toEqual([]);
  expect(JSON.stringify(session.events)).toBe(JSON.stringify(newer));
});

test('a type of a newer version is kept and noted, and one that a package made for itself is kept', async () => {
  const event = { id: 'x', timestamp: '2026-01-01T00:00:00.000Z', source: 'environment', level: 3 };
  const added = [
    { ...event, type: 'weather-report' },
    { ...event, id: 'y', type: 'acme/note' },
  ];
  const session = await sessionOf(text + jsonLines(added));
  expect(session.events.slice(-2)).toEqual(added);
  expect(session.notes).toMatchObject([{ kind: 'unknown-line-type', line: lines.length + 1, count: 1 }]);
});
