import type { PGlite } from '@electric-sql/pglite';
import { beforeAll, expect, test } from 'vitest';
import { pglite } from '../test-support/pglite.js';
import { migrate, postgresInbox } from './index.js';
import type { MessageTooLargeError } from './index.js';

const schema = 'of the inbox';
let database: PGlite;
beforeAll(async () => {
  database = await pglite();
});

test('without its table, an error says how it is made', async () => {
  await expect(postgresInbox({ client: database, schema }).put('a', 'Hello.')).rejects.toThrow(/Run migrate\(\)/);
});

test('messages wait in order, each once, for their conversation alone, until they are taken out', async () => {
  await migrate(database, { schema });
  const inbox = postgresInbox({ client: database, schema });
  const odd = 'a\0\ud800';
  await inbox.put('a\0', odd, { id: odd });
  const second = await inbox.put('a\0', 'Second.');
  await inbox.put('b', 'Of another one.');
  expect(await inbox.put('a\0', 'The same again.', { id: odd })).toBe(odd);
  const waiting = await inbox.read('a\0');
  expect(waiting.map(({ id }) => id)).toEqual([odd, second]);
  expect(waiting[1]?.content).toEqual([{ type: 'text', text: 'Second.' }]);
  await inbox.remove('a\0', [odd, 'unknown']);
  expect((await inbox.read('a\0')).map(({ id }) => id)).toEqual([second]);
  expect(await inbox.read('b')).toHaveLength(1);
});

test('what could not be delivered is refused', async () => {
  const inbox = postgresInbox({ client: database, schema });
  await expect(inbox.put('c', '  ')).rejects.toThrow(TypeError);
  await expect(inbox.put('c', 'Hello.', { id: '' })).rejects.toThrow(/id/);
  expect(await inbox.read('c')).toEqual([]);
});

test('what is too large is refused, and says how large it may be', async () => {
  const inbox = postgresInbox({ client: database, schema, maxMessageBytes: 1_000 });
  await inbox.put('c', 'x'.repeat(900));
  const refused = await inbox.put('c', 'é'.repeat(500)).catch((error: unknown) => error);
  expect(refused).toMatchObject({ name: 'MessageTooLargeError', conversationId: 'c', maxBytes: 1_000 });
  expect((refused as MessageTooLargeError).bytes).toBeGreaterThan(1_000);
  expect(await inbox.read('c')).toHaveLength(1);
  expect(() => postgresInbox({ client: database, maxMessageBytes: 0 })).toThrow(/maxMessageBytes/);
});

test('the longest id of a message stands beside the longest id of a conversation; a longer one is an error of its own', async () => {
  const inbox = postgresInbox({ client: database, schema });
  // What no compression makes shorter.
  const longest = Array.from({ length: 512 }, (_, index) =>
    String.fromCharCode(0x4e00 + ((index * 7919) % 20_000)),
  ).join('');
  const id = Array.from({ length: 332 }, (_, index) => String.fromCharCode(0x4e00 + ((index * 6101) % 20_000))).join(
    '',
  );
  expect(await inbox.put(longest, 'Hello.', { id })).toBe(id);
  expect(await inbox.read(longest)).toMatchObject([{ id }]);
  for (const tooLong of [`${id}x`.repeat(2), 'x'.repeat(2_700), '\0'.repeat(200)]) {
    const refused = await inbox.put('c', 'Hello.', { id: tooLong }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'InvalidEventError', path: ['id'] });
  }
});

test('a read is bounded in bytes, and what it leaves comes with the next ones', async () => {
  const inbox = postgresInbox({ client: database, schema });
  const ids: string[] = [];
  for (let count = 0; count < 7; count++) ids.push(await inbox.put('large', 'x'.repeat(7_000_000)));
  const read: string[][] = [];
  for (;;) {
    const messages = await inbox.read('large');
    if (messages.length === 0) break;
    read.push(messages.map(({ id }) => id));
    await inbox.remove('large', read.at(-1) ?? []);
  }
  expect(read.map(({ length }) => length)).toEqual([3, 3, 1]);
  expect(read.flat()).toEqual(ids);
});

test('conversations whose messages wait for long are found, the longest waiting first', async () => {
  const other = 'overdue';
  await migrate(database, { schema: other });
  const inbox = postgresInbox({ client: database, schema: other });
  for (const id of ['new', 'b\0', 'a', 'b\0']) await inbox.put(id, 'Hello.');
  await database.query(
    `update overdue.palimpsest_inbox set put_at = now() - interval '1 hour' where conversation = convert_to('a', 'utf8')`,
  );
  await database.query(
    `update overdue.palimpsest_inbox set put_at = now() - interval '2 hours' where conversation = '\\x6200' and position = 2`,
  );
  expect(await inbox.overdue({ olderThanMs: 600_000 })).toEqual(['b\0', 'a']);
  expect(await inbox.overdue({ olderThanMs: 600_000, limit: 1 })).toEqual(['b\0']);
  expect(await inbox.overdue({ olderThanMs: 86_400_000 })).toEqual([]);
});
