import { randomUUID } from 'node:crypto';
import { ConversationBusyError, EventStoreError, WriterOustedError, userMessage } from '@palimpsest/events';
import type { EventStore } from '@palimpsest/events';
import pg from 'pg';
import { describe, expect, inject, test, vi } from 'vitest';
import type { TestContext } from 'vitest';
import { silentWay } from '../test-support/silent-way.js';
import { LeasedSession, migrate, postgresEventStore } from './index.js';

const url = inject('postgresUrl') ?? '';
/** Long enough for a machine that stalls: a lease that is missed before the silence would make it another test. */
const leaseMs = 3_000;

/** Connections over a way that can fall silent. None of them has a time limit of its own. */
async function setUp({ onTestFinished }: TestContext) {
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

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

describe.skipIf(url === '').concurrent('a connection that falls silent without an end', () => {
  test('fails an append, after the lease; others take over, and nothing of it is stored when it is heard of again', async (context) => {
    const { way, lost, other } = await setUp(context);
    const schema = `test-${randomUUID()}`;
    await migrate(other, { schema });
    const frozen = postgresEventStore({ client: lost, connect: () => lost.connect(), schema, leaseMs });
    const next = postgresEventStore({ client: other, connect: () => other.connect(), schema });
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
    expect(String(failed)).toContain(`has not answered for ${leaseMs} ms`);
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

  test('is noticed while nothing is asked, and given back without a goodbye', async (context) => {
    const { way, lost } = await setUp(context);
    const session = new LeasedSession(() => lost.connect(), leaseMs);
    await session.query('select');
    way.fallSilent();
    await vi.waitUntil(() => session.isLost, { timeout: 60_000 });
    await expect(session.query('select')).rejects.toThrow(EventStoreError);
    await session.giveBack();
    expect(lost.totalCount).toBe(0);
  });

  test('does not hold up who gives it back', async (context) => {
    const { way } = await setUp(context);
    const session = new LeasedSession(() => connect(way.url), leaseMs);
    await session.query('select');
    way.fallSilent();
    await session.giveBack();
    expect(session.isLost).toBe(true);
  });

  test('does not hold up who connects', async (context) => {
    const { way } = await setUp(context);
    const late = new LeasedSession(async () => {
      const client = await connect(way.url);
      way.fallSilent();
      return client;
    }, leaseMs);
    await expect(late.query('select')).rejects.toThrow(/has not answered/);
    await late.giveBack();
  });
});
