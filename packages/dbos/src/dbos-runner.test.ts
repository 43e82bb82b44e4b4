import { randomUUID } from 'node:crypto';
import { Agent, Conversation } from '@palimpsest/agent';
import type { Instrumentation } from '@palimpsest/agent';
import type { RunEnd } from '@palimpsest/agent/runner';
import { runnerContract } from '@palimpsest/agent/testing';
import { defineTool, memoryEventStore } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { dbosRunner } from './index.js';

const url = inject('postgresUrl') ?? '';

/** Not often looks for what is lost: on a busy machine a request that takes as long as two looks to begin would count as that. */
const quick = { url, pollMs: 20 };
const ignored = { open: () => Promise.reject(new Error('never opened')), onEnd: () => undefined };

describe.skipIf(url === '')('on a server', () => {
  runnerContract({
    test,
    create: (options) => ({ runner: dbosRunner({ ...quick, ...options, name: randomUUID() }) }),
  });

  test('a process that only asks makes the tables, counts, and works nothing; requests of a conversation become one', async () => {
    const runner = dbosRunner({ ...quick, ...ignored, name: randomUUID() });
    for (const id of ['a', 'a', 'b']) await runner.enqueue(id);
    expect(await runner.status()).toEqual({ isWorking: false, running: [], queued: 2 });
    expect(await runner.counts()).toMatchObject({ waiting: 2, delayed: 0, running: 0, deadLetters: 0 });
    await runner.stop();
  });

  test('the id of a conversation may hold any character, and a run knows the trace of who asked for it', async () => {
    const store = memoryEventStore();
    const asked: (readonly string[] | undefined)[] = [];
    const around: string[] = [];
    const instrumentation: Instrumentation = {
      traceparent: () => around[0],
      run: ({ requestedBy }, work) => {
        asked.push(requestedBy);
        return work();
      },
      step: (_, work) => work(),
      modelCall: (_, request, work) => work(request),
      tool: (_, work) => work(),
      condensation: (_, work) => work(() => undefined),
    };
    const agent = new Agent({ llm: scriptedLLM({ script: ['Hello.'] }), instrumentation });
    const open = (conversationId: string) => Conversation.open({ agent, store, conversationId });
    const id = `a\0b/%2F'🙂`;
    await (await open(id)).send('Hello?');
    let end: (end: RunEnd) => void = () => undefined;
    const ended = new Promise<RunEnd>((resolve) => (end = resolve));
    const name = randomUUID();
    const runner = dbosRunner({ ...quick, open, onEnd: (one) => end(one), name, instrumentation });
    await runner.enqueue(id);
    expect(await runner.cancel(id)).toBe(1);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    around.push(traceparent);
    await runner.enqueue(id);
    await runner.start();
    expect(await ended).toMatchObject({ type: 'ended', conversationId: id, outcome: { status: 'finished' } });
    await runner.stop();
    expect(asked).toEqual([[traceparent]]);
    // A served request leaves nothing.
    const database = new pg.Client({ connectionString: url });
    await database.connect();
    onTestFinished(() => database.end());
    const { rows } = await database.query('select from dbos.workflow_status where application_name = $1', [name]);
    expect(rows).toEqual([]);
  });

  test('a run is cancelled by a process that works nothing, within a poll', async () => {
    const ends: RunEnd[] = [];
    let isAborted = false;
    const working = defineTool({
      name: 'work',
      description: 'Works until it is aborted.',
      input: z.object({}),
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          begin();
          signal?.addEventListener('abort', () => {
            isAborted = true;
            reject(new Error('aborted'));
          });
        }),
    });
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const store = memoryEventStore();
    const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'work' }] }] });
    const agent = new Agent({ llm, tools: [working] });
    const open = (conversationId: string) => Conversation.open({ agent, store, conversationId });
    const name = randomUUID();
    const worker = dbosRunner({
      ...quick,
      name,
      open,
      onEnd: (one) => {
        ends.push(one);
        end();
      },
    });
    const client = dbosRunner({ ...quick, ...ignored, name });
    await (await open('a')).send('Work.');
    await client.enqueue('a');
    await worker.start();
    await begun;
    expect(await client.cancel('another')).toBe(0);
    expect(isAborted).toBe(false);
    expect(await client.cancel('a')).toBe(1);
    await ended;
    expect(isAborted).toBe(true);
    expect(ends).toMatchObject([{ type: 'ended', outcome: { status: 'paused' } }]);
    await client.stop();
    await worker.stop();
    // Nobody goes on with it.
    expect(await client.status()).toMatchObject({ queued: 0 });
    await client.stop();
  });

  test('a runner is started once, however often it is asked, and others work beside it in the process', async () => {
    const [one, two] = [1, 2].map(() => dbosRunner({ ...quick, ...ignored, name: randomUUID() }));
    let hasStarted = false;
    const first = one?.start().then(() => (hasStarted = true));
    await one?.start();
    expect(hasStarted).toBe(true);
    await first;
    await two?.start();
    await one?.stop();
    await two?.stop();
  });

  test('a worker that cannot start says why, and leaves nothing behind', async () => {
    const nowhere = dbosRunner({ ...quick, ...ignored, url: 'postgres://nobody:x@127.0.0.1:1/none' });
    await expect(nowhere.start()).rejects.toThrow(/ECONNREFUSED/);
    const runner = dbosRunner({ ...quick, ...ignored, name: randomUUID() });
    await runner.start();
    await runner.stop();
  });

  test('a connection that ends while a worker waits for the tables fails its start, not its process; it can start again', async () => {
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    onTestFinished(() => admin.end());
    // Without tables.
    const own = new URL(url);
    own.pathname = `/${randomUUID()}`;
    own.searchParams.set('application_name', randomUUID());
    await admin.query(`create database "${own.pathname.slice(1)}"`);
    const other = new pg.Client({ connectionString: own.href });
    await other.connect();
    onTestFinished(() => other.end());
    const lock = `hashtextextended('palimpsest dbos tables', 0)`;
    await other.query(`select pg_advisory_lock(${lock})`);
    const runner = dbosRunner({ ...quick, ...ignored, url: own.href, name: randomUUID() });
    const started = runner.start().then(
      () => 'started',
      (error: unknown) => String(error),
    );
    const terminate = async () => {
      const { rowCount } = await other.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()
         and query like 'select pg_try_advisory_lock(hashtextextended(''palimpsest dbos tables''%'`,
        [own.searchParams.get('application_name')],
      );
      return rowCount;
    };
    await vi.waitUntil(async () => (await terminate()) === 1, { timeout: 60_000 });
    expect(await started).toMatch(/connection/i);
    await other.query(`select pg_advisory_unlock(${lock})`);
    await runner.start();
    expect(await runner.status()).toEqual({ isWorking: true, running: [], queued: 0 });
    await runner.stop();
  });
});
