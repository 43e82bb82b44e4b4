import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { PGlite } from '@electric-sql/pglite';
import {
  ConcurrencyError,
  ConversationBusyError,
  EventLog,
  EventStoreError,
  WriterOustedError,
  userMessage,
} from '@palimpsest/events';
import type { Event, EventStore } from '@palimpsest/events';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { bundledProgram } from '../test-support/bundled-program.js';
import { nextMessage } from '../test-support/next-message.js';
import { pglite } from '../test-support/pglite.js';
import { connectionsBeside, migrate, migrationSql, postgresEventStore } from './index.js';
import type { PostgresClient } from './index.js';
import type { PostgresEventStoreOptions } from './postgres-event-store.js';

async function eventsOf(store: EventStore, conversationId: string): Promise<readonly Event[]> {
  const events: Event[] = [];
  for await (const event of store.read(conversationId)) events.push(event);
  return events;
}

describe('the tables', () => {
  let database: PGlite;
  beforeAll(async () => {
    database = await pglite();
  });

  test('without them, an error says how they are made; made twice, they keep what they hold', async () => {
    const schema = 'first';
    await database.query('create schema first');
    const store = postgresEventStore({ client: database, schema });
    await expect(store.append('c', [userMessage('Hello.')])).rejects.toThrow(
      /relation .* does not exist.*Run migrate\(\)/,
    );
    await database.query(migrationSql({ schema }));
    await store.append('c', [userMessage('Hello.')]);
    await migrate(database, { schema });
    expect(await eventsOf(store, 'c')).toHaveLength(1);
    // Another schema holds other conversations.
    await migrate(database, { schema: "o'ther" });
    expect(await eventsOf(postgresEventStore({ client: database, schema: "o'ther" }), 'c')).toEqual([]);
  });

  test('what can be no schema or lease is refused', () => {
    const client: PostgresClient = { query: () => Promise.reject(new Error('not asked')) };
    const store = (options: Partial<PostgresEventStoreOptions>) => () => postgresEventStore({ client, ...options });
    for (const schema of ['', 'a\0b', 'x'.repeat(64)]) expect(store({ schema })).toThrow(EventStoreError);
    for (const leaseMs of [0, 99, 1.5, Number.NaN]) expect(store({ leaseMs })).toThrow(/leaseMs/);
    expect(store({ writerConnections: 0 })).toThrow(/writerConnections/);
  });

  test('an event that somebody changed by hand is an error that names it, after the events before it', async () => {
    await migrate(database);
    const store = postgresEventStore({ client: database });
    await store.append('c', [userMessage('one'), userMessage('two'), userMessage('three')]);
    await database.query(`update palimpsest_events set body = '{"id":' where position = 1`);
    const seen: Event[] = [];
    const reading = async () => {
      for await (const event of store.read('c')) seen.push(event);
    };
    await expect(reading()).rejects.toThrow(/Event 1 of 'c' in PostgreSQL cannot be read/);
    expect(seen).toHaveLength(1);
  });

  test('a page of a long conversation is read alone, and rows that somebody removed hide none behind them', async () => {
    const schema = 'pages';
    await migrate(database, { schema });
    const plans: string[] = [];
    const client: PostgresClient = {
      async query(text, params) {
        const explained = await database.query<object>(`explain (analyze, format json) ${text}`, params as unknown[]);
        plans.push(JSON.stringify(explained.rows));
        return database.query(text, params as unknown[]);
      },
    };
    await postgresEventStore({ client: database, schema }).append(
      'c',
      Array.from({ length: 3_000 }, (_, index) => userMessage(`${index}`)),
    );
    const store = postgresEventStore({ client, schema });
    expect(await eventsOf(store, 'c')).toHaveLength(3_000);
    expect(plans).toHaveLength(3);
    // Without statistics of the tables, as here, a limit alone would have the server sort all that is left.
    const rows = plans.flatMap((plan) => [...plan.matchAll(/"Actual Rows":(\d+)/g)].map(([, count]) => Number(count)));
    expect(Math.max(...rows)).toBe(1_000);
  });

  test.each([
    ['in the middle', 500, 'between 500 and 2099'],
    ['a page', 1000, 'between 1000 and 1999'],
    ['at the begin', 0, '= 0'],
    ['at the end', 2999, '= 2999'],
  ])('rows that somebody removed are noticed, after the events before them: %s', async (_, first, where) => {
    const schema = `gap ${where}`;
    await migrate(database, { schema });
    const store = postgresEventStore({ client: database, schema });
    await store.append(
      'c',
      Array.from({ length: 3_000 }, (_, index) => userMessage(`${index}`)),
    );
    await database.query(`delete from "${schema}".palimpsest_events where position ${where}`);
    const seen: Event[] = [];
    const reading = async (from: number) => {
      for await (const event of store.read('c', { from })) seen.push(event);
    };
    const failure = await reading(0).catch((error: unknown) => error);
    expect(String(failure)).toContain(`Event ${first} of 'c' in PostgreSQL cannot be read: it is missing`);
    expect((failure as EventStoreError).isRetryable).toBe(false);
    expect(seen).toHaveLength(first);
  });

  test('a page of large events ends before it fills the memory, and a log above the limit is not read', async () => {
    const schema = 'large';
    await migrate(database, { schema });
    const sizes: number[] = [];
    const client: PostgresClient = {
      async query(text, params) {
        const answer = await database.query(text, params as unknown[]);
        sizes.push(JSON.stringify(answer.rows).length);
        return answer;
      },
    };
    const words = 'x'.repeat(5_000_000);
    const store = postgresEventStore({ client, schema });
    for (let count = 0; count < 12; count++) await store.append('c', [userMessage(words)]);
    sizes.length = 0;
    expect(await eventsOf(store, 'c')).toHaveLength(12);
    expect(sizes).toHaveLength(3);
    expect(Math.max(...sizes)).toBeLessThan(25_000_000);
    const small = postgresEventStore({ client, schema, maxLogBytes: 30_000_000 });
    const refused = await eventsOf(small, 'c').catch((error: unknown) => error);
    expect(refused).toMatchObject({ name: 'LogTooLargeError', isRetryable: false, maxBytes: 30_000_000 });
    await small.append('other', [userMessage(words)]);
    expect(await eventsOf(small, 'other')).toHaveLength(1);
  });
});

const url = inject('postgresUrl') ?? '';

describe.skipIf(url === '')('on a server', () => {
  let pool: pg.Pool;
  let schema: string;
  let program: string;
  beforeAll(async () => {
    program = await bundledProgram('writing-process');
    pool = new pg.Pool({ connectionString: url, max: 20 });
    schema = `test-${randomUUID()}`;
    await migrate(pool, { schema });
  });
  afterAll(() => pool.end());

  const open = (options: Partial<PostgresEventStoreOptions> = {}) =>
    postgresEventStore({ client: pool, connect: () => pool.connect(), schema, ...options });
  const openForWriting = async (store: EventStore, id: string) => {
    const writer = await store.openForWriting?.(id);
    if (writer === undefined) throw new Error('the store has no openForWriting');
    return writer;
  };

  test('one append is one statement', async () => {
    const asked: string[] = [];
    const client: PostgresClient = {
      query: (text, params) => {
        asked.push(text);
        return pool.query(text, params);
      },
    };
    const log = await EventLog.open(randomUUID(), { store: postgresEventStore({ client, schema }) });
    asked.length = 0;
    await log.append([userMessage('one'), userMessage('two')]);
    await log.append(userMessage('three'));
    expect(asked).toHaveLength(2);
    expect(log.length).toBe(3);
  });

  test('appends of writers are named where it is asked for or the connection takes it, by schema, and those of others never', async () => {
    const own = new pg.Pool({ connectionString: url, max: 1 });
    onTestFinished(() => own.end());
    const other = `test-${randomUUID()}`;
    await migrate(pool, { schema: other });
    const names = async () => {
      const { rows } = await own.query<{ name: string }>(
        'select name from pg_prepared_statements order by prepare_time',
      );
      return rows.map(({ name }) => name);
    };
    const appendTo = async (options: Partial<PostgresEventStoreOptions>) => {
      const store = open({ connect: () => own.connect(), ...options });
      const writer = await openForWriting(store, randomUUID());
      await writer.append([userMessage('one')]);
      await writer.append([userMessage('two')]);
      await writer.close();
    };
    await appendTo({});
    await open({ client: own, namedStatements: true }).append(randomUUID(), [userMessage('one')]);
    expect(await names()).toEqual([]);
    await appendTo({ namedStatements: true });
    await appendTo({ namedStatements: true, schema: other });
    await appendTo({ namedStatements: true });
    expect(await names()).toEqual([expect.stringMatching(/^palimpsest_[0-9a-f]+$/), expect.any(String)]);
    expect(new Set(await names()).size).toBe(2);
    // A connection that is known to take names gets them.
    const asked: unknown[] = [];
    const connect = async () => {
      const session = await connectionsBeside(own)();
      const query = session.query.bind(session);
      session.query = (text, params) => {
        asked.push(text);
        return query(text, params);
      };
      return session;
    };
    await appendTo({ connect });
    const named = asked.filter((text) => typeof text === 'object');
    expect(named).toHaveLength(2);
  });

  test('the client postgres needs one line', async () => {
    const sql = postgres(url, { max: 4, onnotice: () => undefined });
    onTestFinished(() => sql.end());
    const client: PostgresClient = {
      query: async (text, params) => ({ rows: await sql.unsafe(text, params as string[]) }),
    };
    await migrate(client, { schema });
    const store = postgresEventStore({ client, schema });
    const id = `postgres \0 ${randomUUID()}`;
    const event = userMessage('\u0000 "quoted" \\ {a,b} \ud83d\ude00');
    expect(await store.append(id, [event], { expectedVersion: 0 })).toEqual({ version: 1 });
    expect(await eventsOf(store, id)).toEqual([event]);
    await expect(store.append(id, [event], { expectedVersion: 7 })).rejects.toThrow(ConcurrencyError);
  });

  test('many open conversations take few connections, and give them back', async () => {
    const own = new pg.Pool({ connectionString: url, max: 4 });
    onTestFinished(() => own.end());
    const store = open({ connect: () => own.connect(), writerConnections: 2 });
    const ids = Array.from({ length: 60 }, () => randomUUID());
    const writers = await Promise.all(ids.map((id) => openForWriting(store, id)));
    expect(own.totalCount - own.idleCount).toBe(2);
    await Promise.all(writers.map((writer) => writer.append([userMessage('one')])));
    await expect(openForWriting(open(), ids[7] ?? '')).rejects.toThrow(ConversationBusyError);
    await Promise.all(writers.map((writer) => writer.close()));
    expect(own.idleCount).toBe(own.totalCount);
    const { rows } = await own.query<{ idle_session_timeout: string }>('show idle_session_timeout');
    expect(rows[0]?.idle_session_timeout).toBe('0');
    await (await openForWriting(open(), ids[7] ?? '')).close();
  });

  test('a busy conversation names the session that holds it', async () => {
    const named = new pg.Pool({ connectionString: url, max: 1, application_name: 'worker 3' });
    onTestFinished(() => named.end());
    const id = randomUUID();
    const writer = await openForWriting(open({ connect: () => named.connect() }), id);
    const refused = await openForWriting(open(), id).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConversationBusyError);
    expect((refused as ConversationBusyError).holder).toMatch(/^the database session \d+ of 'worker 3'$/);
    await writer.close();
  });

  test('a writer whose connection broke appends nothing, others take over, and the store goes on', async () => {
    const id = randomUUID();
    const own = new pg.Pool({ connectionString: url, application_name: id });
    own.on('error', () => undefined);
    onTestFinished(() => own.end());
    const store = open({ writerConnections: 1, connect: () => own.connect() });
    const writer = await openForWriting(store, id);
    await writer.append([userMessage('one')]);
    await pool.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [id]);
    const next = await takenOver(() => openForWriting(open(), id));
    await next.append([userMessage('two')], { expectedVersion: 1 });
    await expect(writer.append([userMessage('late')])).rejects.toThrow(
      /EventStoreError|WriterOustedError|taken over|could not append/,
    );
    await expect(writer.append([userMessage('later')])).rejects.toThrow(WriterOustedError);
    await writer.close();
    await next.close();
    const again = await openForWriting(store, id);
    expect(await again.append([userMessage('three')])).toEqual({ version: 3 });
    await again.close();
  });

  test('a connection that cannot be opened is an error, and the next attempt connects anew', async () => {
    let attempts = 0;
    const store = open({
      writerConnections: 1,
      connect: () => (++attempts === 1 ? Promise.reject(new Error('no route')) : pool.connect()),
    });
    const id = randomUUID();
    await expect(openForWriting(store, id)).rejects.toThrow(/could not open .* for writing: no route/);
    await (await openForWriting(store, id)).close();
  });

  test.each([
    ['SIGKILL', 30_000],
    // The server waits for as long as this until it takes a stopped process for frozen. Long enough for a machine that stalls.
    ['SIGSTOP', 3_000],
  ] as const)('a process that got %s loses the conversation, and appends nothing later', async (signal, leaseMs) => {
    const id = randomUUID();
    const child = fork(program, [url, schema, id, String(leaseMs)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await nextMessage(child);
    // With the short lease, a process that has no turn for so long has lost it already.
    if (signal === 'SIGKILL') await expect(openForWriting(open(), id)).rejects.toThrow(ConversationBusyError);
    child.kill(signal);
    const writer = await takenOver(() => openForWriting(open(), id));
    await writer.append([userMessage('taken over')], { expectedVersion: 1 });
    if (signal === 'SIGSTOP') {
      child.kill('SIGCONT');
      child.send('append');
      expect(['EventStoreError', 'WriterOustedError']).toContain(await nextMessage(child));
    }
    await writer.close();
    expect(await eventsOf(open(), id)).toHaveLength(2);
  });
});

/** Tries again until the server has noticed that the holder is gone. */
async function takenOver<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!ConversationBusyError.isInstance(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
