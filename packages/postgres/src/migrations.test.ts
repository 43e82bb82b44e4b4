import { randomUUID } from 'node:crypto';
import { EventStoreError, userMessage } from '@palimpsest/events';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import {
  connectionsBeside,
  migrate,
  migrationSql,
  postgresConversations,
  postgresEventStore,
  postgresInbox,
} from './index.js';

const url = inject('postgresUrl') ?? '';

/** The tables of the first version. */
const firstTables = (schema: string) => `
  create schema "${schema}";
  create table "${schema}".palimpsest_conversations (
    key bigint generated always as identity primary key, conversation bytea not null unique, version bigint not null);
  create table "${schema}".palimpsest_events (
    conversation_key bigint not null references "${schema}".palimpsest_conversations (key), position bigint not null,
    body text not null, primary key (conversation_key, position));
  create table "${schema}".palimpsest_inbox (
    position bigint generated always as identity, conversation bytea not null, id text not null, content text not null,
    primary key (conversation, id));
  create table "${schema}".palimpsest_rates (
    name text primary key, seen_at float8 not null, moment float8 not null, closed_until float8 not null, full_at float8[] not null);`;

/** An append of the first version. */
const firstAppend = (schema: string) => `
  with head as (
    insert into "${schema}".palimpsest_conversations as stored (conversation, version) values (convert_to($1, 'utf8'), 1)
    on conflict (conversation) do update set version = stored.version + excluded.version returning key, version)
  insert into "${schema}".palimpsest_events (conversation_key, position, body) select key, version - 1, $2 from head`;

describe.skipIf(url === '')('the tables', () => {
  let pool: pg.Pool;
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: url, max: 10 });
  });
  afterAll(() => pool.end());
  const newSchema = () => `test-${randomUUID()}`;

  /** A pool of a role that owns nothing and may make nothing. */
  const roleOf = async (schema: string, grants: string) => {
    const role = `worker-${randomUUID()}`;
    await pool.query(`create role "${role}" login password 'a'`);
    await pool.query(grants.replaceAll('SCHEMA', `"${schema}"`).replaceAll('ROLE', `"${role}"`));
    const address = new URL(url);
    address.username = role;
    address.password = 'a';
    const own = new pg.Pool({ connectionString: address.href, max: 4 });
    onTestFinished(() => own.end());
    return own;
  };
  const grants = `
    grant usage on schema SCHEMA to ROLE;
    grant select, insert, update, delete on all tables in schema SCHEMA to ROLE;`;

  test('are made by several processes at once, and again', async () => {
    const schema = newSchema();
    await Promise.all(Array.from({ length: 8 }, () => migrate(pool, { schema })));
    await pool.query(migrationSql({ schema }));
    const { rows } = await pool.query<{ version: number }>(`select version from "${schema}".palimpsest_version`);
    expect(rows).toEqual([{ version: 2 }]);
  });

  test('are checked alone under a role that may make nothing, and a store works there', async () => {
    const schema = newSchema();
    await migrate(pool, { schema });
    const own = await roleOf(schema, grants);
    await migrate(own, { schema });
    const store = postgresEventStore({ client: own, connect: connectionsBeside(own), schema });
    const writer = await store.openForWriting?.('c');
    expect(await writer?.append([userMessage('Hello.')])).toEqual({ version: 1 });
    await writer?.close();
    await postgresInbox({ client: own, schema }).put('c', 'Hello?');
    expect(await postgresConversations({ client: own, schema }).erase('c')).toBe(true);
  });

  test('that are missing or older are an error for such a role, which says what to do', async () => {
    const [none, older] = [newSchema(), newSchema()];
    await pool.query(`create schema "${none}"`);
    await pool.query(firstTables(older));
    for (const schema of [none, older]) {
      const failure = await migrate(await roleOf(schema, grants), { schema }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(EventStoreError);
      expect(failure).toMatchObject({ isRetryable: false });
      expect(String(failure)).toMatch(/missing or of an older version.*Run migrationSql\(\) once as the owner/);
    }
  });

  test('of a newer version are refused, by the statement too, and stay as they are', async () => {
    const schema = newSchema();
    await migrate(pool, { schema });
    await pool.query(`update "${schema}".palimpsest_version set version = 3`);
    await expect(migrate(pool, { schema })).rejects.toThrow(/of version 3, and this version of .* knows 2/);
    await expect(pool.query(migrationSql({ schema }))).rejects.toThrow(/newer version/);
    const { rows } = await pool.query<{ version: number }>(`select version from "${schema}".palimpsest_version`);
    expect(rows).toEqual([{ version: 3 }]);
  });

  test('are brought up to date while older workers append, and again afterwards', async () => {
    const schema = newSchema();
    await pool.query(firstTables(schema));
    let isOver = false;
    let appended = 0;
    const older = Array.from({ length: 4 }, async (_, index) => {
      while (!isOver) {
        await pool.query(firstAppend(schema), [`c${index}`, JSON.stringify(userMessage('Hello.'))]);
        appended++;
      }
    });
    const until = async (count: number) => {
      while (appended < count) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await until(40);
    await migrate(pool, { schema });
    await until(appended + 40);
    const store = postgresEventStore({ client: pool, schema });
    for (let index = 0; index < 4; index++) await store.append(`c${index}`, [userMessage('Of a newer worker.')]);
    isOver = true;
    await Promise.all(older);
    const conversations = postgresConversations({ client: pool, schema });
    expect((await conversations.list({ isStale: true })).conversations).toHaveLength(4);
    expect(await conversations.rebuild()).toEqual({ rebuilt: 4, unreadable: [] });
    const { conversations: all } = await conversations.list();
    expect(all.map(({ isCurrent }) => isCurrent)).toEqual([true, true, true, true]);
    expect(all.reduce((sum, { version }) => sum + version, 0)).toBe(appended + 4);
  });

  test('wait for a table that somebody has locked, while appends go on', async () => {
    const schema = newSchema();
    await pool.query(firstTables(schema));
    const reader = await pool.connect();
    await reader.query('begin');
    await reader.query(`select count(*) from "${schema}".palimpsest_conversations`);
    let isMade = false;
    const making = migrate(pool, { schema }).then(() => (isMade = true));
    // Longer than it waits for a lock at a time: each of these waits behind it, and goes on.
    for (let count = 0; count < 3; count++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await pool.query(firstAppend(schema), ['c', JSON.stringify(userMessage('Hello.'))]);
    }
    expect(isMade).toBe(false);
    await reader.query('commit');
    reader.release();
    await making;
    expect(await postgresConversations({ client: pool, schema }).rebuild()).toMatchObject({ rebuilt: 1 });
  });
});
