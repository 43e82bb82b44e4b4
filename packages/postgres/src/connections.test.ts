import { randomUUID } from 'node:crypto';
import { ConversationBusyError, EventStoreError, userMessage } from '@palimpsest/events';
import type { ConversationWriter, Event, EventStore } from '@palimpsest/events';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import {
  connectionsBeside,
  migrate,
  NotEnoughConnectionsError,
  postgresEventStore,
  SharedSessionError,
} from './index.js';
import type { PostgresSession } from './index.js';

const url = inject('postgresUrl') ?? '';

const schema = `test-${randomUUID()}`;
let pool: pg.Pool;

function poolOf(options: pg.PoolConfig): pg.Pool {
  const made = new pg.Pool({ connectionString: url, ...options });
  made.on('error', () => undefined);
  onTestFinished(() => made.end());
  return made;
}

async function openForWriting(store: EventStore, id: string = randomUUID()): Promise<ConversationWriter> {
  const writer = await store.openForWriting?.(id);
  if (writer === undefined) throw new Error('the store has no openForWriting');
  return writer;
}

async function eventsOf(store: EventStore, id: string): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const event of store.read(id)) events.push(event);
  return events;
}

describe.skipIf(url === '')('the connections of a store', () => {
  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: url, max: 10 });
    await migrate(pool, { schema });
  });
  afterAll(() => pool.end());

  test('beside a pool, they leave it to others, however small it is', async () => {
    const small = poolOf({ max: 1 });
    const store = postgresEventStore({ client: small, connect: connectionsBeside(small), schema });
    const ids = Array.from({ length: 40 }, () => randomUUID());
    const writers = await Promise.all(ids.map((id) => openForWriting(store, id)));
    await Promise.all(writers.map((writer) => writer.append([userMessage('one')])));
    for (const id of ids) expect(await eventsOf(store, id)).toHaveLength(1);
    await Promise.all(writers.map((writer) => writer.close()));
    expect(small.totalCount).toBe(1);
  });

  test('what is no pool of pg is refused', () => {
    expect(() => connectionsBeside({ options: {} })).toThrow(EventStoreError);
  });

  test.concurrent.each([
    [1, 1],
    [2, 3],
    [4, 4],
  ])(
    'out of a pool of %i, for %i sessions, are an error that names the number',
    async (max, writerConnections) => {
      const small = new pg.Pool({ connectionString: url, max });
      const store = postgresEventStore({ client: small, connect: () => small.connect(), schema, writerConnections });
      const opening = Array.from({ length: 12 }, () => openForWriting(store));
      const outcomes = await Promise.allSettled(opening);
      const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
      expect(errors.length).toBeGreaterThan(0);
      for (const error of errors) {
        expect(error).toBeInstanceOf(NotEnoughConnectionsError);
        expect((error as NotEnoughConnectionsError).needed).toBe(writerConnections + 1);
        expect(String(error)).toContain(`needs ${writerConnections + 1} connections`);
      }
      // The others, and reads, go on.
      for (const outcome of outcomes) if (outcome.status === 'fulfilled') await outcome.value.close();
      expect(await eventsOf(store, 'a')).toEqual([]);
      await small.end();
    },
    60_000,
  );

  test('a server that gives no more is the same error', async () => {
    const role = `limited-${randomUUID()}`;
    await pool.query(`create role "${role}" login password 'a' connection limit 1`);
    await pool.query(`grant usage on schema "${schema}" to "${role}"`);
    const limited = new URL(url);
    limited.username = role;
    limited.password = 'a';
    const own = poolOf({ connectionString: limited.href, max: 1 });
    const store = postgresEventStore({ client: own, connect: connectionsBeside(own), schema });
    await own.query('select');
    await expect(openForWriting(store)).rejects.toThrow(NotEnoughConnectionsError);
    await expect(openForWriting(store)).rejects.toMatchObject({ needed: 5, isRetryable: true });
  });

  test('that share a session with other clients, as behind a transaction pooler, are refused', async () => {
    // What such a pooler does with one session of the server, and with several.
    for (const max of [1, 3]) {
      const sessions = poolOf({ max });
      const turns = Array.from({ length: max }, () => sessions.connect());
      const backends = await Promise.all(turns);
      let turn = 0;
      const query = (text: string, params?: unknown[]) => {
        const backend = backends[turn++ % max];
        if (backend === undefined) throw new Error('there is none');
        return backend.query(text, params);
      };
      const connect = async (): Promise<PostgresSession> => ({ query, release: () => undefined });
      const store = postgresEventStore({ client: { query }, connect, schema });
      await expect(openForWriting(store)).rejects.toThrow(SharedSessionError);
      await expect(openForWriting(store)).rejects.toMatchObject({ isRetryable: false, code: 'shared-session' });
      for (const backend of backends) backend.release(true);
    }
  });

  test('a pooler that is noticed late stores nothing of a writer in another session', async () => {
    const [one, other] = [await pool.connect(), await pool.connect()];
    let backend = one;
    const connect = async (): Promise<PostgresSession> => ({
      query: (text, params) => backend.query(text, params),
      release: () => undefined,
    });
    const id = randomUUID();
    const store = postgresEventStore({ client: pool, connect, schema });
    const writer = await openForWriting(store, id);
    await writer.append([userMessage('one')]);
    backend = other;
    await expect(writer.append([userMessage('two')])).rejects.toThrow(SharedSessionError);
    await writer.close();
    for (const session of [one, other]) session.release(true);
    expect(await eventsOf(store, id)).toHaveLength(1);
  });

  describe('a lock that somebody holds', () => {
    const held = async (statement: string, params: unknown[]) => {
      const holder = await pool.connect();
      await holder.query('begin');
      await holder.query(statement, params);
      return async () => {
        await holder.query('rollback');
        holder.release();
      };
    };

    test('of a row fails the appends to its conversation, and holds nobody else up for long', async () => {
      const store = postgresEventStore({
        client: pool,
        connect: connectionsBeside(pool),
        schema,
        writerConnections: 1,
      });
      const [locked, free] = [randomUUID(), randomUUID()];
      const writers = { locked: await openForWriting(store, locked), free: await openForWriting(store, free) };
      await writers.locked.append([userMessage('one')]);
      const letGo = await held(
        `select from "${schema}".palimpsest_conversations where conversation = convert_to($1, 'utf8') for update`,
        [locked],
      );
      const stalled = writers.locked.append([userMessage('two')]).catch((error: unknown) => error);
      await writers.free.append([userMessage('one')]);
      expect(await stalled).toMatchObject({ name: 'EventStoreError', isRetryable: true });
      await letGo();
      // The right to write is still there.
      expect(await writers.locked.append([userMessage('two')])).toEqual({ version: 2 });
      for (const writer of Object.values(writers)) await writer.close();
    });

    test('of an append under way makes the conversation busy, until it is done', async () => {
      const store = postgresEventStore({ client: pool, connect: connectionsBeside(pool), schema });
      const id = randomUUID();
      const key = `hashtextextended('palimpsest gate ${schema} ' || encode(convert_to($1, 'utf8'), 'hex'), 0)`;
      const letGo = await held(`select pg_advisory_xact_lock_shared(${key})`, [id]);
      await expect(openForWriting(store, id)).rejects.toThrow(ConversationBusyError);
      await letGo();
      await (await openForWriting(store, id)).close();
    });
  });
});
