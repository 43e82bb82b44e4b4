import { randomUUID } from 'node:crypto';
import { ConversationBusyError, EventStoreError, WriterOustedError, userMessage } from '@palimpsest/events';
import type { EventStore } from '@palimpsest/events';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { silentWay } from '../test-support/silent-way.js';
import { LeasedSession, migrate, postgresEventStore } from './index.js';

const url = inject('postgresUrl') ?? '';
const leaseMs = 600;

/** Connections over a way that can fall silent. None of them has a time limit of its own. */
async function setUp() {
  const way = await silentWay(url);
  onTestFinished(() => way.close());
  const poolOf = (connectionString: string) => {
    const pool = new pg.Pool({ connectionString });
    pool.on('error', () => undefined);
    onTestFinished(() => pool.end());
    return pool;
  };
  return { way, lost: poolOf(way.url), other: poolOf(url) };
}

describe.skipIf(url === '')('a connection that falls silent without an end', () => {
  test('fails an append, after the lease; others take over, and nothing of it is stored when it is heard of again', async () => {
    const { way, lost, other } = await setUp();
    const schema = `test-${randomUUID()}`;
    await migrate(other, { schema });
    const [frozen, next] = [lost, other].map((pool) =>
      postgresEventStore({ client: pool, connect: () => pool.connect(), schema, leaseMs }),
    ) as [EventStore, EventStore];
    const open = async (store: EventStore) => {
      const writer = await store.openForWriting?.('c');
      if (writer === undefined) throw new Error('the store has no openForWriting');
      return writer;
    };
    const writer = await open(frozen);
    await writer.append([userMessage('one')]);
    way.fallSilent();
    const failed = await writer.append([userMessage('late')]).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(EventStoreError);
    expect(String(failed)).toMatch(/has not answered for 600 ms/);
    await expect(writer.append([userMessage('later')])).rejects.toThrow(WriterOustedError);
    const taken = await vi.waitUntil(
      () =>
        open(next).catch((error: unknown) => {
          if (ConversationBusyError.isInstance(error)) return undefined;
          throw error;
        }),
      { timeout: 60_000, interval: 20 },
    );
    await taken.append([userMessage('two')], { expectedVersion: 1 });
    way.speakAgain();
    await writer.close();
    await taken.append([userMessage('three')], { expectedVersion: 2 });
    await taken.close();
    const texts: string[] = [];
    for await (const event of next.read('c')) texts.push(JSON.stringify('content' in event && event.content));
    expect(texts.map((text) => /one|two|three|late/.exec(text)?.[0])).toEqual(['one', 'two', 'three']);
    // The store connects anew.
    await (await open(frozen)).close();
  });

  test('is noticed while nothing is asked, and given back without a goodbye', async () => {
    const { way, lost } = await setUp();
    const session = new LeasedSession(() => lost.connect(), leaseMs);
    await session.query('select');
    way.fallSilent();
    await vi.waitUntil(() => session.isLost, { timeout: 60_000 });
    await expect(session.query('select')).rejects.toThrow(EventStoreError);
    await session.giveBack();
    expect(lost.totalCount).toBe(0);
  });

  test('does not hold up who gives it back, nor who connects', async () => {
    const { way } = await setUp();
    const connect = async (connectionString: string) => {
      const client = new pg.Client({ connectionString });
      client.on('error', () => undefined);
      await client.connect();
      return client;
    };
    const session = new LeasedSession(() => connect(way.url), leaseMs);
    await session.query('select');
    way.fallSilent();
    await session.giveBack();
    expect(session.isLost).toBe(true);
    way.speakAgain();
    const late = new LeasedSession(async () => {
      const client = await connect(way.url);
      way.fallSilent();
      return client;
    }, leaseMs);
    await expect(late.query('select')).rejects.toThrow(/has not answered/);
    await late.giveBack();
  });
});
