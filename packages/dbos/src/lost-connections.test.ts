import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { Agent, Conversation } from '@palimpsest/agent';
import type { RunEnd } from '@palimpsest/agent/runner';
import { defineTool, memoryEventStore } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { migrate, postgresEventStore } from '@palimpsest/postgres';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { dbosRunner } from './index.js';

const url = inject('postgresUrl') ?? '';

/**
 * A way to the server that can be closed or fall silent, or on which the first claim of a request is committed, and its answer lost with
 * the connection.
 */
async function lossyWayTo(url: string) {
  const target = new URL(url);
  const { hostname, port } = target;
  const nothing = () => undefined as void;
  const way = { url: '', hasLost: false, losesClaim: true, close: nothing, fallSilent: nothing };
  const open = new Set<Socket>();
  let isSilent = false;
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let isClaim = false;
    client.on('data', (data) => {
      isClaim = data.toString('latin1').includes("set status = 'PENDING'");
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      const isLost = isClaim && way.losesClaim && !way.hasLost && data.toString('latin1').includes('UPDATE 1\0');
      if (!isLost) return void client.write(data);
      way.hasLost = true;
      client.destroy();
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
      if (isSilent) one.pause();
      open.add(one);
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  way.close = () => {
    proxy.close();
    for (const socket of open) socket.destroy();
  };
  way.fallSilent = () => {
    isSilent = true;
    for (const socket of open) socket.pause();
  };
  onTestFinished(way.close);
  target.hostname = '127.0.0.1';
  target.port = String((proxy.address() as AddressInfo).port);
  way.url = target.href;
  return way;
}

test.skipIf(url === '')('a request that a worker took without learning of it is served all the same', async () => {
  const way = await lossyWayTo(url);
  const store = memoryEventStore();
  const agent = new Agent({ llm: scriptedLLM({ script: ['Hello.'] }) });
  const open = (conversationId: string) => Conversation.open({ agent, store, conversationId });
  await (await open('a')).send('Hello?');
  let end: (end: RunEnd) => void = () => undefined;
  const ended = new Promise<RunEnd>((resolve) => (end = resolve));
  const options = { name: randomUUID(), open, onEnd: (one: RunEnd) => end(one), pollMs: 20, sweepMs: 100 };
  const runner = dbosRunner({ ...options, url: way.url });
  await runner.start();
  onTestFinished(() => runner.stop());
  await runner.enqueue('a');
  expect(await ended).toMatchObject({ type: 'ended', outcome: { status: 'finished' } });
  expect(way.hasLost).toBe(true);
});

test.skipIf(url === '').each([
  ['is gone', 'close'],
  ['answers nothing, on connections that stay open', 'fallSilent'],
] as const)(
  'a worker that is stopped while the server %s ends, and another one goes on with what it had',
  async (_, lose) => {
    const way = await lossyWayTo(url);
    way.losesClaim = false;
    const pools = [way.url, url].map((connectionString) => new pg.Pool({ connectionString }));
    for (const pool of pools) pool.on('error', () => undefined);
    onTestFinished(async () => void (await Promise.all(pools.map((pool) => pool.end()))));
    await migrate(pools[0] as pg.Pool);
    // Of the worker that loses the server. Long enough for a machine that stalls before that.
    const leaseMs = 2_000;
    const [lost, other] = pools.map((pool, index) =>
      postgresEventStore({ client: pool, connect: () => pool.connect(), ...(index === 0 ? { leaseMs } : {}) }),
    );
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const working = defineTool({
      name: 'work',
      description: 'Works until the server is gone.',
      input: z.object({}),
      execute: async () => {
        begin();
        await gone;
        return 'It is done.';
      },
    });
    let leave: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (leave = resolve));
    const llm = scriptedLLM({ script: [{ toolCalls: [{ name: 'work' }] }, 'It is lost.'] });
    const agent = new Agent({ llm, tools: [working] });
    const ends: RunEnd[] = [];
    let fail: () => void = () => undefined;
    const failed = new Promise<void>((resolve) => (fail = resolve));
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const onEnd = (one: RunEnd) => {
      ends.push(one);
      if (one.type === 'failed') fail();
      if (one.type === 'ended') end();
    };
    const options = { name: randomUUID(), onEnd, pollMs: 20, sweepMs: 100, retryMs: 20 };
    const openIn = (store: typeof lost) => (conversationId: string) =>
      Conversation.open({ agent, store: store ?? memoryEventStore(), conversationId });
    await (await openIn(other)('a')).send('Work.');
    const runner = dbosRunner({ ...options, leaseMs: leaseMs / 2, url: way.url, open: openIn(lost) });
    onTestFinished(() => runner.stop({ graceMs: 0 }));
    await runner.start();
    await runner.enqueue('a');
    await begun;
    way[lose]();
    leave();
    await failed;
    // By the append, or before it, where the end of the connection was noticed first.
    const code = expect.stringMatching(/^(event-store|writer-ousted)$/) as string;
    expect(ends[0]).toMatchObject({ type: 'failed', error: { cause: { code } }, retryInMs: 20 });
    await runner.stop({ graceMs: 0 });
    expect(ends.at(-1)).toMatchObject({ type: 'handed-over' });
    way.close();

    const next = dbosRunner({ ...options, url: url, open: openIn(other) });
    await next.start();
    onTestFinished(() => next.stop());
    await ended;
    expect(ends.at(-1)).toMatchObject({ type: 'ended', outcome: { status: 'finished' } });
  },
);

test.skipIf(url === '')('a server that answers nothing holds up neither who enqueues nor a stop', async () => {
  const way = await lossyWayTo(url);
  way.losesClaim = false;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const llm = scriptedLLM({
    script: () => {
      begin();
      return { text: 'Done.', until: new Promise(() => undefined) };
    },
  });
  const [store, agent] = [memoryEventStore(), new Agent({ llm })];
  const open = (conversationId: string) => Conversation.open({ agent, store, conversationId });
  await (await open('a')).send('Work.');
  // Too long to end anything here.
  const options = { name: randomUUID(), leaseMs: 600_000, pollMs: 20, open, onEnd: () => undefined };
  const runner = dbosRunner({ ...options, url: way.url });
  await runner.start();
  await runner.enqueue('a');
  await begun;
  way.fallSilent();
  await expect(runner.enqueue('b')).rejects.toThrow(/did not answer within 5000 ms: enqueue/);
  await runner.stop({ graceMs: 500 });
  const other = dbosRunner({ ...options, url });
  onTestFinished(() => other.stop());
  expect(await other.counts()).toMatchObject({ running: 1 });
});
