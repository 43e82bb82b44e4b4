import type { PGlite } from '@electric-sql/pglite';
import { beforeAll, expect, test } from 'vitest';
import { pglite } from '../test-support/pglite.js';
import { migrate, postgresInbox } from './index.js';

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
