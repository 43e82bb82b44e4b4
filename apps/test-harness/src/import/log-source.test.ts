import { expect, test } from 'vitest';
import { jsonLines, noteKinds, outline, sessionOf } from '../../test-support/fixtures/fixture-files.js';

const user = (content: string): object => ({ role: 'user', content });
const three = [user('one'), user('two'), user('three')];
const [one, two, three_] = three.map((value) => JSON.stringify(value));

test('a torn last line is left out and noted with its line', async () => {
  const session = await sessionOf(`${one}\n${two}\n{"role":"us`);
  expect(session.events.map(outline)).toEqual(['user as user: one', 'user as user: two']);
  expect(session.notes).toMatchObject([
    { kind: 'torn-last-line', line: 3, message: '11 characters of line 3, the last, are not JSON and were left out' },
  ]);
});

test('a last line without a line feed is whole', async () => {
  const session = await sessionOf(`${one}\n${two}`);
  expect(session.events).toHaveLength(2);
  expect(session.notes).toEqual([]);
});

test('a line in the middle that is not JSON is left out and noted with its line, and the others are read', async () => {
  const session = await sessionOf(`${one}\nsegmentation fault\n${two}\n\n${three_}\n`);
  expect(session.events.map(outline)).toEqual(['user as user: one', 'user as user: two', 'user as user: three']);
  expect(session.notes).toMatchObject([{ kind: 'not-json', line: 2, count: 1 }]);
});

test('a first line that is not JSON does not hide what the log is', async () => {
  const session = await sessionOf(`{"role":\n${two}\n${three_}\n`);
  expect(session.events).toHaveLength(2);
  expect(session.notes).toMatchObject([{ kind: 'not-json', line: 1 }]);
});

test('two objects on one line are split and noted', async () => {
  const session = await sessionOf(`${one}\n${two}${three_}\n`);
  expect(session.events.map((event) => `${event.id} ${outline(event)}`)).toEqual([
    'line-1 user as user: one',
    'line-2 user as user: two',
    'line-2#2 user as user: three',
  ]);
  expect(session.notes).toMatchObject([{ kind: 'several-objects-on-a-line', line: 2 }]);
});

test('an object and a torn one on the last line', async () => {
  const session = await sessionOf(`${one}\n${two}{"role":`);
  expect(session.events).toHaveLength(2);
  expect(noteKinds(session)).toEqual(['torn-last-line ×1']);
});

test('a byte order mark, carriage returns and line separators inside strings are no trouble', async () => {
  const session = await sessionOf(`\uFEFF${one}\r\n${JSON.stringify(user('a\u2028b\u2029c'))}\r\n`);
  expect(session.events.map(outline)).toEqual(['user as user: one', 'user as user: a\u2028b\u2029c']);
  expect(session.notes).toEqual([]);
});

test('lines longer than a block of the file are read whole', async () => {
  const long = 'ä'.repeat(3_000_000);
  const session = await sessionOf(jsonLines([user(long), user('short')]));
  const texts = session.events.map((event) => (event.type === 'message' ? event.content : [])).flat();
  // Compared by length: a failure must not print megabytes.
  expect(texts.map((part) => part.type === 'text' && part.text.length)).toEqual([3_000_000, 5]);
});

test('a broken log does not fill the notes: past a hundred of a kind they are only counted', async () => {
  const session = await sessionOf(`${one}\n${'broken\n'.repeat(1_000)}${two}\n`);
  expect(session.notes).toHaveLength(101);
  expect(session.notes.at(-1)).toMatchObject({ kind: 'not-json', count: 900 });
});
