import { EventStoreError, memoryEventStore } from '@palimpsest/events';
import type { EventStore } from '@palimpsest/events';
import { rewritesIn, sentTo } from '@palimpsest/provider-servers';
import { afterEach, describe, expect, it } from 'vitest';
import { CodingSession, readingServer } from '../../test-support/coding-session.js';

const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

async function session(options: ConstructorParameters<typeof CodingSession>[1] = {}): Promise<CodingSession> {
  const server = await readingServer();
  open.push(server);
  return new CodingSession(server, options);
}

describe('a condenser that fails', () => {
  it('is asked three times, and the list goes all the same', async () => {
    let asked = 0;
    const client = await session({
      condenser: {
        name: 'broken',
        condense: () => {
          asked += 1;
          throw new Error('out of order');
        },
      },
    });
    await client.steps(6);
    expect(asked).toBe(3);
    expect(client.receipts.map(({ status, way }) => [status, way])).toEqual(Array(6).fill([200, 'untouched']));
    expect(client.receipts.map(({ problem }) => problem?.includes('out of order') ?? false)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('leaves what was condensed before', async () => {
    const store = memoryEventStore();
    const client = await session({ store });
    while (client.condensed.length === 0) await client.step();
    client.restart({ condenser: { name: 'broken', condense: () => Promise.reject(new Error('out of order')) } });
    await client.steps(5);
    expect(client.receipts.slice(-5).map(({ way }) => way)).toEqual(Array(5).fill('condensed'));
    expect(rewritesIn(sentTo(client.server))).toHaveLength(1);
  });
});

/** A store whose reading can be turned off. */
function storeThatMayFail(): EventStore & { isOff: boolean } {
  const store = memoryEventStore();
  const mayFail = {
    ...store,
    isOff: false,
    async *read(...parameters: Parameters<EventStore['read']>) {
      if (mayFail.isOff) throw new EventStoreError('the disk is gone');
      yield* store.read(...parameters);
    },
  };
  return mayFail;
}

describe('a store that cannot be read after a restart', () => {
  it('lets the original go, and stays on it until the policy says otherwise', async () => {
    const store = storeThatMayFail();
    const client = await session({ store });
    while (client.condensed.length === 0) await client.step();
    await client.steps(2);
    store.isOff = true;
    client.restart();
    await client.step();
    const fallen = client.receipts.at(-1);
    expect([fallen?.way, fallen?.status, fallen?.inForce]).toEqual(['original', 200, 0]);
    expect(fallen?.problem).toContain('the disk is gone');

    store.isOff = false;
    const before = rewritesIn(sentTo(client.server)).length;
    await client.step();
    expect(client.receipts.at(-1)?.inForce).toBe(client.receipts.at(-1)?.condensations.length);
    expect(rewritesIn(sentTo(client.server)).length - before).toBe(client.receipts.at(-1)?.condensations.length);
  });

  it('lets the bytes go where nothing was ever sent', async () => {
    const store = storeThatMayFail();
    store.isOff = true;
    const client = await session({ store });
    await client.steps(3);
    expect(client.receipts.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(rewritesIn(sentTo(client.server))).toEqual([]);
  });
});

it('goes on after a restart as if nothing had happened', async () => {
  const client = await session();
  while (client.condensed.length === 0) await client.step();
  await client.step();
  const before = client.receipts.at(-1)?.usage;
  client.restart();
  await client.step();
  const after = client.receipts.at(-1);
  expect(after?.usage?.cacheReadTokens).toBe((before?.cacheReadTokens ?? 0) + (before?.cacheWriteTokens ?? 0));
  expect(rewritesIn(sentTo(client.server))).toHaveLength(1);
});

it('knows a conversation though its key, its model and its session change', async () => {
  const client = await session();
  while (client.condensed.length === 0) await client.step({}, { 'x-claude-code-session-id': 'one' });
  client.restart();
  await client.step({ model: 'claude-sonnet-4-5' }, { 'x-api-key': 'other', 'x-claude-code-session-id': 'two' });
  const [before, after] = client.receipts.slice(-2);
  expect(after?.way).toBe('condensed');
  expect(after?.log).toBe(before?.log);
  expect(after?.conversation).not.toBe(before?.conversation);
});

it('writes a receipt of what a client has given up', async () => {
  const client = await session();
  await client.steps(2);
  const response = await client.post('/v1/messages', client.body({ stream: true }));
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect(client.receipts).toHaveLength(3);
  expect(client.receipts.at(-1)?.usage?.uncachedInputTokens).toBeGreaterThan(0);
});

it('writes a receipt of a request that did not reach the provider', async () => {
  const client = await session({ upstream: () => Promise.reject(new Error('there is no way')) });
  await expect(client.post('/v1/messages', client.body())).rejects.toThrow('there is no way');
  expect(client.receipts.map(({ status, usage }) => [status, usage])).toEqual([[502, undefined]]);
});
