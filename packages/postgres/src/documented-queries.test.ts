import { readFile } from 'node:fs/promises';
import { createEvent, userMessage } from '@palimpsest/events';
import { PGlite } from '@electric-sql/pglite';
import { expect, test } from 'vitest';
import { migrate, postgresEventStore, postgresInbox } from './index.js';

test('the queries of the documentation find what they say', async () => {
  const page = await readFile(new URL('../docs/seeing.md', import.meta.url), 'utf8');
  const queries = [...page.matchAll(/```sql\n([^`]+)```/g)].map(([, query = '']) => query);
  const database = await PGlite.create();
  await migrate(database);
  const store = postgresEventStore({ client: database, tenantOf: () => 'acme' });
  const status = (value: string) => createEvent('conversation-state-update', { key: 'status', value });
  const toolCall = { id: '1', name: 'order', arguments: '{}' };
  const action = createEvent('action', { thought: [], toolCall, llmResponseId: 'r' });
  await store.append('waits', [status('running'), action, status('waiting-for-confirmation')]);
  await store.append('failed', [status('running'), status('error')]);
  await store.append('runs', [userMessage('Hello.'), status('running'), status('running')]);
  await postgresInbox({ client: database }).put('unread', 'Hello?');
  await database.query(`update palimpsest_inbox set put_at = now() - interval '1 hour'`);
  const found = [];
  for (const query of queries) found.push((await database.query<Record<string, unknown>>(query)).rows);
  expect(found).toEqual([
    [expect.objectContaining({ conversation: 'waits', actions: 1 })],
    [expect.objectContaining({ conversation: 'failed', status: 'error', attempts: 1 })],
    [expect.objectContaining({ tenant: 'acme', conversations: 3 })],
    [expect.objectContaining({ conversation: 'runs', attempts: 2 })],
    [expect.objectContaining({ conversation: 'unread', messages: 1 })],
  ]);
  await database.close();
});
