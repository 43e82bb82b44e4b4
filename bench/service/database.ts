import { randomUUID } from 'node:crypto';
import { dbosRunner } from '@palimpsest/dbos';
import { connectionsBeside, migrate, postgresEventStore, postgresInbox } from '@palimpsest/postgres';
import type { LocalPostgres } from '@palimpsest/postgres/testing';
import pg from 'pg';
import type { Task } from './setting.js';

/** The number of requests that are put in at a time. */
const together = 16;

/** A database of its own on the server, and what an application that only asks has of it. */
export type Database = Awaited<ReturnType<typeof newDatabase>>;

/** A database with the tables of the store and of DBOS, to copy, on each server. */
const templates = new WeakMap<LocalPostgres, Promise<string>>();

/** Makes a database with all tables. */
export async function newDatabase(server: LocalPostgres) {
  let template = templates.get(server);
  if (template === undefined) {
    template = newTemplate(server);
    templates.set(server, template);
  }
  const name = newName();
  await asAdministrator(server, `create database ${name} template ${await template}`);
  const url = urlOf(server, name);
  const pool = new pg.Pool({ connectionString: url, max: together });
  pool.on('error', () => undefined);
  const store = postgresEventStore({ client: pool, connect: connectionsBeside(pool) });
  const inbox = postgresInbox({ client: pool });
  const runner = dbosRunner({ url, open: () => Promise.reject(new Error('It only asks.')), onEnd: () => undefined });
  return {
    url,
    pool,
    store,
    inbox,
    runner,
    /** Puts a message into the inbox of each conversation, and enqueues it. */
    ask: (ids: readonly string[], task: Task) =>
      eachTogether(ids, async (id) => {
        await inbox.put(id, JSON.stringify(task));
        await runner.enqueue(id);
      }),
    async close() {
      await runner.stop();
      await pool.end();
      await asAdministrator(server, `drop database ${name} with (force)`);
    },
  };
}

async function newTemplate(server: LocalPostgres): Promise<string> {
  const name = newName();
  await asAdministrator(server, `create database ${name}`);
  const url = urlOf(server, name);
  const pool = new pg.Pool({ connectionString: url });
  await migrate(pool);
  await pool.end();
  const runner = dbosRunner({ url, open: () => Promise.reject(new Error('It only asks.')), onEnd: () => undefined });
  await runner.status();
  await runner.stop();
  return name;
}

const newName = () => `bench_${randomUUID().replaceAll('-', '')}`;

function urlOf(server: LocalPostgres, name: string): string {
  const url = new URL(server.url);
  url.pathname = name;
  return url.href;
}

async function asAdministrator(server: LocalPostgres, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** Does something with each item, some at a time. */
async function eachTogether<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const lane = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: together }, lane));
}

/** Returns ids of conversations: `PREFIX-0` and so on. */
export function idsOf(prefix: string, from: number, to: number): readonly string[] {
  return Array.from({ length: to - from }, (_, index) => `${prefix}-${from + index}`);
}
