import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { Agent, Conversation } from '@palimpsest/agent';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { connectionsBeside, migrate, postgresEventStore, postgresInbox } from '@palimpsest/postgres';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { bundledProgram } from '../test-support/bundled-program.js';
import { Database } from './database.js';
import { dbosRunner } from './index.js';
import { Requests } from './requests.js';
import { Troubles } from './troubles.js';

const url = inject('postgresUrl') ?? '';
const program = url === '' ? '' : await bundledProgram('cli', 'src');

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The lines that it printed as JSON. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** Runs the command as a process. */
async function run(args: readonly string[], database: string | null = url): Promise<Ran> {
  const { DATABASE_URL: _, ...env } = process.env;
  const named = database === null ? env : { ...env, DATABASE_URL: database };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env: named }, (error, out, err) => {
      const rows = args.includes('--json')
        ? out
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line) as Record<string, unknown>)
        : [];
      resolve({ code: Number(error?.code ?? 0), out, err, rows });
    });
  });
}

/** A queue, and conversations that are stored. */
async function setUp() {
  const name = randomUUID();
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  await migrate(pool);
  const store = postgresEventStore({ client: pool, connect: connectionsBeside(pool), tenantOf: () => name });
  const inbox = postgresInbox({ client: pool });
  const agent = new Agent({ llm: scriptedLLM({ script: () => 'Done.' }) });
  const open = (conversationId: string) => Conversation.open({ agent, store, conversationId });
  const runner = dbosRunner({ url, name, open, onEnd: () => undefined });
  const database = new Database(url, 30_000);
  onTestFinished(async () => {
    await Promise.all([runner.stop(), database.close()]);
    await pool.end();
  });
  const [requests, troubles] = [new Requests(database, name), new Troubles(database, name)];
  /** Makes a dead letter of a conversation as a worker does that takes over its request. */
  const giveUp = async (conversationId: string, explanation: string) => {
    await runner.enqueue(conversationId);
    const [request] = await requests.claim('a dead worker', 1);
    const held = { id: request?.id ?? '', worker: 'a dead worker' };
    await troubles.giveUp(held, conversationId, 'deaths', explanation);
    await requests.end(held.worker, held.id);
  };
  return { name, store, inbox, open, runner, giveUp, asked: ['--name', name, '--json'] };
}

describe.skipIf(url === '')('palimpsest-dbos', () => {
  test('lists dead letters, as data, and resumes them', async () => {
    const { name, giveUp, asked } = await setUp();
    const id = `poison ${name}`;
    await giveUp(id, 'Workers \u001b[2Jdied.');
    expect((await run(['dead-letters', ...asked])).rows).toMatchObject([
      { conversationId: id, reason: 'deaths', explanation: 'Workers \u001b[2Jdied.' },
    ]);
    const { out } = await run(['dead-letters', '--name', name]);
    expect(out).toMatch(/^poison [^ ]+ {2}reason: deaths {2}explanation: Workers {2}\[2Jdied\. {2}at: [^ ]+Z\n$/);
    expect(await run(['resume', id, ...asked])).toMatchObject({
      code: 0,
      rows: [{ conversationId: id, result: 'resumed' }],
    });
    expect((await run(['counts', ...asked])).rows).toMatchObject([{ waiting: 1, running: 0, deadLetters: 0 }]);
    expect(await run(['resume', id, ...asked])).toMatchObject({ code: 1, rows: [{ result: 'no dead letter' }] });
    expect((await run(['cancel', id, ...asked])).rows).toEqual([{ conversationId: id, result: 'cancelled' }]);
  });

  test('lists and adds up conversations, rebuilds overviews, and erases all of one, once nobody has it open', async () => {
    const { name, store, inbox, open, runner, asked } = await setUp();
    const ids = ['a', 'b'].map((id) => `${id} ${name}`);
    const [id = ''] = ids;
    for (const each of ids) {
      const conversation = await open(each);
      await conversation.send('Hello.');
      await conversation.run();
    }
    const ofTenant = ['--tenant', name, ...asked];
    const listed = await run(['list', '--status', 'finished', ...ofTenant]);
    expect(listed.rows.map(({ conversationId }) => conversationId)).toEqual(ids.toReversed());
    expect((await run(['list', '--limit', '1', ...ofTenant])).rows).toHaveLength(1);
    expect((await run(['list', '--waiting', ...ofTenant])).rows).toEqual([]);
    expect((await run(['list', '--tenant', '', ...asked])).rows).toEqual([]);
    expect((await run(['totals', ...ofTenant])).rows).toMatchObject([{ conversations: 2 }]);
    expect((await run(['rebuild', ...asked])).rows).toMatchObject([{ unreadable: [] }]);
    await inbox.put(id, 'One more.');
    await runner.enqueue(id);
    const writer = await store.openForWriting?.(id);
    const erasing = run(['erase', id, 'nobody', ...asked]);
    setTimeout(() => void writer?.close(), 500);
    const { code, rows } = await erasing;
    expect(rows).toEqual([
      { conversationId: id, result: 'erased' },
      { conversationId: 'nobody', result: 'not stored' },
    ]);
    expect(code).toBe(1);
    expect(await inbox.read(id)).toEqual([]);
    expect((await run(['counts', ...asked])).rows).toMatchObject([{ waiting: 0 }]);
    expect((await run(['totals', ...ofTenant])).rows).toMatchObject([{ conversations: 1 }]);
  });

  test('makes no table where it is not asked to, and goes on behind an id that it cannot use', async () => {
    const server = new pg.Client({ connectionString: url });
    await server.connect();
    const name = `cli_${randomUUID().replaceAll('-', '')}`;
    await server.query(`create database ${name}`);
    const empty = new URL(url);
    empty.pathname = name;
    expect(await run(['counts'], empty.href)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/There is no queue in this database/) as string,
    });
    expect((await run(['cancel', 'a', '--json'], empty.href)).rows).toMatchObject([
      { result: expect.stringMatching(/^not done: There is no/) as string },
    ]);
    await run(['migrate'], empty.href);
    expect((await run(['erase', '', 'a', '--json'], empty.href)).rows).toMatchObject([
      { conversationId: '', result: expect.stringMatching(/^not done: /) as string },
      { conversationId: 'a', result: 'not stored' },
    ]);
    await server.query(`drop database ${name} with (force)`);
    await server.end();
  });

  test('ends when a server lets it in and answers nothing', async () => {
    // Authentication is over, and it is ready for a query.
    const greeting = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(greeting));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await run(['list'], `postgres://u:p@127.0.0.1:${port}/none`)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^palimpsest-dbos: .*timeout/) as string,
    });
  });

  test('makes the tables, and says what is wrong without the password', async () => {
    expect(await run(['migrate'])).toMatchObject({ code: 0, out: '', err: '' });
    const none = await run(['counts'], null);
    expect(none).toMatchObject({
      code: 1,
      err: 'palimpsest-dbos: Which database? Say --url postgres://… or set DATABASE_URL.\n',
    });
    expect(await run(['totals', '--url', 'u:hunter2@127.0.0.1:1/x'])).toMatchObject({
      code: 1,
      err: expect.not.stringMatching(/hunter2/) as string,
    });
    const gone = await run(['counts'], 'postgres://somebody:hunter2@127.0.0.1:1/none');
    expect(gone.code).toBe(1);
    expect(gone.err).toMatch(/^palimpsest-dbos: .*ECONNREFUSED/);
    expect(gone.err).not.toMatch(/hunter2|at /);
    const wrong = await run(['list', '--limit', 'many']);
    expect(wrong).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^palimpsest-dbos: .*number of conversations/) as string,
    });
    expect(await run(['resurrect'])).toMatchObject({ code: 2 });
  });
});
