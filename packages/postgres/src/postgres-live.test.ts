import { randomUUID } from 'node:crypto';
import { userMessage } from '@palimpsest/events';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { silentWay } from '../test-support/silent-way.js';
import { connectionsBeside, migrate, postgresEventStore, postgresLive } from './index.js';
import type { LiveDelta, LiveListener, PostgresClient } from './index.js';

const url = inject('postgresUrl') ?? '';

/** Two processes of one service, of which the second follows. */
async function setUp(second: string = url) {
  const poolOf = (connectionString: string) => {
    const pool = new pg.Pool({ connectionString, max: 3 });
    pool.on('error', () => undefined);
    onTestFinished(() => pool.end());
    return pool;
  };
  const [one, other] = [poolOf(url), poolOf(second)];
  const schema = `test-${randomUUID()}`;
  await migrate(one, { schema });
  const channel = `"${schema}`;
  const asked: string[] = [];
  const client: PostgresClient = {
    query: (text, params) => {
      asked.push(text);
      return one.query(text, params);
    },
  };
  const teller = postgresLive({ client, channel });
  const store = postgresEventStore({ client: one, connect: connectionsBeside(one), schema, live: teller });
  const follower = postgresLive({ client: other, connect: connectionsBeside(other), channel });
  return { one, teller, follower, store, asked };
}

function listener() {
  const heard: (LiveDelta | 'appended')[] = [];
  const told: LiveListener = {
    appended: () => void heard.push('appended'),
    delta: (delta) => void heard.push(delta),
  };
  return { heard, told };
}

const textOf = (heard: readonly (LiveDelta | 'appended')[]) =>
  heard.map((delta) => (delta !== 'appended' && delta.type === 'text' ? delta.text : '')).join('');
const waitFor = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 60_000, interval: 5 });

describe.skipIf(url === '')('followers in another process', () => {
  test('are told of appends to their conversation, whoever appends, and not of failed ones', async () => {
    const { follower, store } = await setUp();
    const [mine, others] = [listener(), listener()];
    const subscription = follower.subscribe('a\0', mine.told);
    follower.subscribe('b', others.told);
    await waitFor(() => subscription.isLive && others.heard.length === 1);
    mine.heard.length = 0;
    await store.append('a\0', [userMessage('one')]);
    await waitFor(() => mine.heard.length === 1);
    const writer = await store.openForWriting?.('a\0');
    await writer?.append([userMessage('two')]);
    await waitFor(() => mine.heard.length === 2);
    await writer?.append([]);
    await expect(writer?.append([userMessage('three')], { expectedVersion: 7 })).rejects.toThrow();
    await writer?.close();
    // What is told afterwards comes afterwards.
    await store.append('b', [userMessage('one')]);
    await waitFor(() => others.heard.length === 2);
    expect(mine.heard).toEqual(['appended', 'appended']);
  });

  test('get the pieces of the answer in progress, in their order, in parts that fit', async () => {
    const { follower, teller, asked } = await setUp();
    const { heard, told } = listener();
    const subscription = follower.subscribe('a', told);
    await waitFor(() => subscription.isLive);
    const words = Array.from({ length: 4_000 }, (_, index) => `${index} \0 "é" \ud83d\ude00 `);
    asked.length = 0;
    for (const text of words) teller.delta('a', { type: 'text', text });
    const args = `{"path":"${'x'.repeat(9_000)}"}`;
    teller.delta('a', { type: 'tool-call', index: 0, id: '1', name: 'read', arguments: '' });
    for (let start = 0; start < args.length; start += 100)
      teller.delta('a', { type: 'tool-call', index: 0, arguments: args.slice(start, start + 100) });
    teller.delta('a', { type: 'restart', reason: 'lost' });
    teller.delta('b', { type: 'text', text: 'of another conversation' });
    await waitFor(() => heard.some((delta) => delta !== 'appended' && delta.type === 'restart'));
    expect(textOf(heard) === words.join('')).toBe(true);
    const calls = heard.flatMap((delta) => (delta !== 'appended' && delta.type === 'tool-call' ? [delta] : []));
    expect(calls[0]).toMatchObject({ index: 0, id: '1', name: 'read' });
    expect(calls.map((call) => call.arguments).join('') === args).toBe(true);
    // Thousands of pieces are a few statements.
    expect(asked.length).toBeLessThan(10);
  });

  test('hear again when their connection was lost, and look for what they missed', async () => {
    const { follower, store, one } = await setUp();
    const { heard, told } = listener();
    const subscription = follower.subscribe('a', told);
    await waitFor(() => subscription.isLive);
    await one.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and pid <> pg_backend_pid()`,
    );
    await waitFor(() => !subscription.isLive);
    await store.append('a', [userMessage('missed')]);
    heard.length = 0;
    await waitFor(() => subscription.isLive && heard.includes('appended'));
    heard.length = 0;
    await store.append('a', [userMessage('heard')]);
    await waitFor(() => heard.length > 0);
    subscription.end();
    subscription.end();
    const { rows } = await one.query(`select from pg_stat_activity where query like 'unlisten%'`);
    expect(rows.length).toBeLessThanOrEqual(1);
  });

  test('are told nothing over a way that is silent, and know it', async () => {
    const way = await silentWay(url);
    onTestFinished(() => way.close());
    const { follower } = await setUp(way.url);
    const { told } = listener();
    way.fallSilent();
    const subscription = follower.subscribe('a', told);
    expect(subscription.isLive).toBe(false);
    way.speakAgain();
    await waitFor(() => subscription.isLive);
    subscription.end();
  });

  test('without a connection to listen nothing is heard, and what others notify does no harm', async () => {
    const { teller, follower, one } = await setUp();
    const { heard, told } = listener();
    expect(teller.subscribe('a', told).isLive).toBe(false);
    const subscription = follower.subscribe('a', told);
    await waitFor(() => subscription.isLive);
    heard.length = 0;
    const { rows } = await one.query<{ query: string }>(
      `select query from pg_stat_activity where query like 'listen%'`,
    );
    const channel = /listen (".*")$/.exec(rows.at(-1)?.query ?? '')?.[1] ?? '';
    for (const payload of ['', '{', '[]', '["a",null]', '["a",{"type":"other"}]', '["b",{"type":"text","text":"x"}]'])
      await one.query(`notify ${channel}, '${payload}'`);
    await one.query(`notify ${channel}, '["a",{"type":"text","text":"end"}]'`);
    await waitFor(() => textOf(heard) === 'end');
  });
});
