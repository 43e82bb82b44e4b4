import { randomUUID } from 'node:crypto';
import { Agent, Conversation } from '@palimpsest/agent';
import type { RunEnd } from '@palimpsest/agent/runner';
import { defineTool, memoryEventStore } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { dbosRunner } from './index.js';

const url = inject('postgresUrl') ?? '';

/** A conversation in the middle of a run, whose worker has died, and a worker that comes after it. */
async function afterADeath() {
  const name = randomUUID();
  const store = memoryEventStore();
  const released: Conversation[] = [];
  const tool = defineTool({
    name: 'work',
    description: 'Works until its process is gone.',
    input: z.object({}),
    execute: () => {
      released[0]?.release();
      return 'It is done.';
    },
  });
  const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'work' }] }, 'It goes on.'] });
  const agent = new Agent({ llm, tools: [tool] });
  const opened: string[] = [];
  const open = (conversationId: string) => {
    opened.push(conversationId);
    return Conversation.open({ agent, store, conversationId });
  };
  const ends: RunEnd[] = [];
  const troubles: unknown[] = [];
  const options = { url, name, open, pollMs: 20, sweepMs: 100, onEnd: (end: RunEnd) => void ends.push(end) };
  const client = dbosRunner(options);
  const worker = dbosRunner({ ...options, onTrouble: (error) => void troubles.push(error) });
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  // Its own: a transaction sees the activity of others as it was at its first look.
  const observer = new pg.Client({ connectionString: url });
  await observer.connect();
  onTestFinished(async () => {
    await worker.stop();
    await client.stop();
    await database.end();
    await observer.end();
  });
  const conversation = await open('a');
  released.push(conversation);
  await conversation.send('Work.');
  expect(await conversation.run()).toMatchObject({ status: 'released' });
  await conversation.close();
  await client.enqueue('a');
  // As DBOS's claim leaves it.
  await database.query(
    `update dbos.workflow_status set status = 'PENDING', executor_id = $2, owner_xid = $2 where queue_name = $1`,
    [name, randomUUID()],
  );
  const statuses = async () => {
    const { events } = await Conversation.open({ agent, store, conversationId: 'a' });
    return [...events].flatMap((event) =>
      event.type === 'conversation-state-update' && event.key === 'status' ? [event.value] : [],
    );
  };
  /** Returns how many connections wait for the transaction of `database`, or for one that waits for it. */
  const waiting = async () => {
    const { rows } = await observer.query<{ count: number }>(
      `with recursive held (pid) as (
         select $1::int union
         select other.pid from pg_stat_activity as other join held on held.pid = any(pg_blocking_pids(other.pid))
       ) select count(*)::int - 1 as count from held`,
      [(await database.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid],
    );
    return rows[0]?.count;
  };
  return { client, worker, store, database, name, llm, opened, ends, troubles, statuses, waiting };
}

describe.skipIf(url === '')('a cancel of a run whose worker has died', () => {
  test('in the very moment in which it is taken over is kept, and the log says that the run is paused', async () => {
    const { client, worker, database, name, llm, ends, troubles, statuses, waiting } = await afterADeath();
    await database.query('begin');
    await database.query('select from dbos.workflow_status where queue_name = $1 for update', [name]);
    const cancelled = client.cancel('a');
    await vi.waitUntil(async () => (await waiting()) === 1, { timeout: 60_000 });
    // Its first look sees a request of a dead worker, and what it does about that comes after the cancel.
    await worker.start();
    await vi.waitUntil(async () => (await waiting()) === 2, { timeout: 60_000 });
    await database.query('commit');
    expect(await cancelled).toBe(1);
    // The log says so a moment before it is told.
    await vi.waitUntil(() => ends.length > 0, { timeout: 60_000 });
    expect(ends).toMatchObject([{ type: 'ended', outcome: { status: 'paused' } }]);
    expect((await statuses()).at(-1)).toBe('paused');
    expect(await worker.status()).toEqual({ isWorking: true, running: [], queued: 0 });
    expect(llm.requests).toHaveLength(1);
    expect(troubles).toEqual([]);

    // It is told once, and what is asked for later is served.
    await worker.enqueue('a');
    await vi.waitUntil(() => ends.length === 2, { timeout: 60_000 });
    expect(ends[1]).toMatchObject({ type: 'ended', outcome: { status: 'finished' } });
  });

  test('before anybody has noticed is kept, too, and waits for whoever holds the conversation', async () => {
    const { client, worker, store, llm, opened, ends, statuses } = await afterADeath();
    const writer = await store.openForWriting?.('a');
    expect(await client.cancel('a')).toBe(1);
    expect(await client.cancel('a')).toBe(0);
    opened.length = 0;
    await worker.start();
    await vi.waitUntil(() => opened.length > 1, { timeout: 60_000 });
    expect(await statuses()).toEqual(['running']);
    await writer?.close();
    await vi.waitUntil(() => ends.length > 0, { timeout: 60_000 });
    await worker.stop();
    expect(ends).toMatchObject([{ type: 'ended', outcome: { status: 'paused' } }]);
    expect((await statuses()).at(-1)).toBe('paused');
    expect(llm.requests).toHaveLength(1);
  });
});
