import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Agent, Conversation } from '@palimpsest/agent';
import type { RunEnd } from '@palimpsest/agent/runner';
import { memoryEventStore } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { localPostgres } from '@palimpsest/postgres/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { dbosRunner } from './index.js';

const server = await localPostgres();
afterAll(() => server?.close());

/** A way to the server on which the first claim of a request is committed, and its answer lost with the connection. */
async function lossyWayTo(url: string) {
  const target = new URL(url);
  const { hostname, port } = target;
  const way = { url: '', hasLost: false };
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    // DBOS's claim is a transaction, whose update names who takes the request.
    let claims = false;
    let isCommitting = false;
    client.on('data', (data) => {
      const text = data.toString('latin1');
      claims ||= /SET status = \$1,\s+owner_xid = \$8/.test(text);
      isCommitting = claims && !way.hasLost && text.includes('COMMIT\0');
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (!isCommitting) return void client.write(data);
      way.hasLost = true;
      client.destroy();
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  target.hostname = '127.0.0.1';
  target.port = String((proxy.address() as AddressInfo).port);
  way.url = target.href;
  return way;
}

test.skipIf(server === undefined)(
  'a request that a worker took without learning of it is served all the same',
  { timeout: 120_000 },
  async () => {
    const way = await lossyWayTo(server?.url ?? '');
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
  },
);
