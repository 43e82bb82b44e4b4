import assert from 'node:assert/strict';
import { ConcurrencyError, ConversationBusyError, InvalidConversationIdError, InvalidEventError } from '../errors.js';
import type { Event } from '../event.js';
import type { ConversationWriter, EventStore } from '../event-store.js';
import { failsWith, listAll, messages, readAll, readIds } from './store-rule.js';
import type { StoreRule, StoreUnderTest } from './store-rule.js';

/** Returns a rule for stores that can be opened for writing. The others keep it by not having the method. */
function rule(name: string, check: (underTest: StoreUnderTest, open: OpenForWriting) => Promise<void>): StoreRule {
  return {
    name,
    async check(underTest) {
      const { store } = underTest;
      if (store.openForWriting !== undefined) await check(underTest, opener(store));
    },
  };
}

type OpenForWriting = (conversationId: string) => Promise<ConversationWriter>;

/** @throws when the store has no such method, though another one on the same data has it. */
function opener(store: EventStore): OpenForWriting {
  return async (conversationId) => {
    assert.ok(store.openForWriting !== undefined, 'a store that was reopened has no openForWriting');
    return store.openForWriting(conversationId);
  };
}

/** The promises of `openForWriting`. */
export const writerRules: readonly StoreRule[] = [
  rule(
    'a writer appends as the store does, and what it appended is read, also after it was closed',
    async (u, open) => {
      const { store } = u;
      const events = messages(6);
      await store.append('c', events.slice(0, 1));
      const writer = await open('c');
      assert.deepEqual(await writer.append(events.slice(1, 3)), { version: 3 });
      assert.deepEqual(await writer.append([]), { version: 3 });
      assert.deepEqual(await readAll(store, 'c'), events.slice(0, 3));
      assert.deepEqual(await writer.append(events.slice(3, 4), { expectedVersion: 3 }), { version: 4 });
      assert.deepEqual(await readAll(store, 'c', { from: 2 }), events.slice(2, 4));
      assert.deepEqual(await listAll(store), [['c', 4]]);
      await writer.close();
      assert.deepEqual(await store.append('c', events.slice(4, 5)), { version: 5 });
      const next = await open('c');
      assert.deepEqual(await next.append(events.slice(5), { expectedVersion: 5 }), { version: 6 });
      await next.close();
      assert.deepEqual(await readAll(store, 'c'), events);
    },
  ),
  rule('a conversation that does not exist can be opened, and exists with its first event', async ({ store }, open) => {
    const writer = await open('c');
    assert.deepEqual(await listAll(store), []);
    assert.deepEqual(await writer.append(messages(1), { expectedVersion: 0 }), { version: 1 });
    await writer.close();
    await (await open('nothing')).close();
    assert.deepEqual(await listAll(store), [['c', 1]]);
  }),
  rule(
    'while a writer is open, others fail with ConversationBusyError, append nothing, and may read',
    async (u, open) => {
      const { store } = u;
      const events = messages(4);
      const writer = await open('c');
      await writer.append(events.slice(0, 2));
      const attempts: (() => Promise<unknown>)[] = [
        () => open('c'),
        () => store.append('c', events.slice(2, 3)),
        () => store.append('c', events.slice(2, 3), { expectedVersion: 2 }),
      ];
      for (const attempt of attempts) {
        assert.equal((await failsWith(ConversationBusyError, attempt)).conversationId, 'c');
      }
      assert.deepEqual(await readAll(store, 'c'), events.slice(0, 2));
      // Other conversations are none of its business.
      await store.append('d', messages(1));
      await (await open('d')).close();
      assert.deepEqual(await writer.append(events.slice(2)), { version: 4 });
      await writer.close();
      assert.deepEqual(await readAll(store, 'c'), events);
    },
  ),
  rule(
    'a writer that was closed appends nothing, and closing it again does not close the next one',
    async (u, open) => {
      const { store } = u;
      const writer = await open('c');
      await writer.append(messages(1));
      await writer.close();
      await assert.rejects(async () => writer.append(messages(1, 'late-')));
      const next = await open('c');
      await writer.close();
      await failsWith(ConversationBusyError, () => open('c'));
      await assert.rejects(async () => writer.append(messages(1, 'late-')));
      await next.append(messages(1, 'next-'));
      await next.close();
      assert.deepEqual(await readIds(store, 'c'), ['event-1', 'next-1']);
    },
  ),
  rule('a writer appends all or none, and only at the version that was expected', async ({ store }, open) => {
    const [first, second, third] = messages(3) as [Event, Event, Event];
    const writer = await open('c');
    await writer.append([first]);
    for (const expectedVersion of [0, 2]) {
      await failsWith(ConcurrencyError, () => writer.append([second], { expectedVersion }));
    }
    await failsWith(ConcurrencyError, () => writer.append([], { expectedVersion: 0 }));
    const notJson = { ...third, content: () => 'code' } as unknown as Event;
    await failsWith(InvalidEventError, async () => writer.append([second, notJson]));
    assert.deepEqual(await writer.append([second], { expectedVersion: 1 }), { version: 2 });
    await writer.close();
    assert.deepEqual(await readAll(store, 'c'), [first, second]);
  }),
  rule('appends of a writer at the same time keep their order, and closing waits for them', async ({ store }, open) => {
    const batches = Array.from({ length: 12 }, (_, index) => messages(1 + (index % 3), `${index}-`));
    const writer = await open('c');
    const appended = batches.map(async (events) => writer.append(events));
    await writer.close();
    const versions = (await Promise.all(appended)).map(({ version }) => version);
    let expected = 0;
    assert.deepEqual(
      versions,
      batches.map((events) => (expected += events.length)),
    );
    assert.deepEqual(await readAll(store, 'c'), batches.flat());
  }),
  rule('of several who open at the same time exactly one gets it, time after time', async ({ store }) => {
    await oneAtATime([store, store, store, store]);
  }),
  rule('what is no conversation id is not opened', async ({ store }, open) => {
    for (const id of ['', 'x'.repeat(513), '\ud800', undefined] as string[]) {
      await failsWith(InvalidConversationIdError, async () => open(id));
    }
    assert.deepEqual(await listAll(store), []);
  }),
];

/** The promises of `openForWriting` of a store that outlives its object. */
export const reopenedWriterRules: readonly StoreRule[] = [
  rule('a writer keeps other stores out, and they read what it appended', async (underTest, open) => {
    const [other] = (await others(underTest, 1)) as [EventStore];
    const events = messages(4);
    const writer = await open('c');
    await writer.append(events.slice(0, 2));
    await failsWith(ConversationBusyError, () => opener(other)('c'));
    await failsWith(ConversationBusyError, () => other.append('c', events.slice(2, 3)));
    assert.deepEqual(await readAll(other, 'c'), events.slice(0, 2));
    await writer.append(events.slice(2, 3));
    await writer.close();
    const next = await opener(other)('c');
    await failsWith(ConversationBusyError, () => open('c'));
    assert.deepEqual(await next.append(events.slice(3), { expectedVersion: 3 }), { version: 4 });
    await next.close();
    assert.deepEqual(await readAll(underTest.store, 'c'), events);
    const last = await open('c');
    assert.deepEqual(await last.append([], { expectedVersion: 4 }), { version: 4 });
    await last.close();
  }),
  rule('of several stores that open at the same time exactly one gets it, time after time', async (underTest) => {
    await oneAtATime([underTest.store, ...(await others(underTest, 3))]);
  }),
];

/** Opens the conversation through all stores at once, several times. */
async function oneAtATime(stores: readonly EventStore[]): Promise<void> {
  const ids: string[] = [];
  for (let round = 0; round < 8; round++) {
    const results = await Promise.allSettled(stores.map(async (store) => opener(store)('c')));
    const writers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    assert.equal(writers.length, 1, `${writers.length} of ${stores.length} have it open`);
    for (const result of results) {
      if (result.status === 'rejected') {
        assert.ok(ConversationBusyError.isInstance(result.reason), String(result.reason));
      }
    }
    const events = messages(2, `${round}-`);
    assert.deepEqual(await writers[0]?.append(events), { version: 2 * round + 2 });
    ids.push(...events.map(({ id }) => id));
    await writers[0]?.close();
  }
  assert.deepEqual(await readIds(stores[0] as EventStore, 'c'), ids);
}

async function others({ reopen }: StoreUnderTest, count: number): Promise<readonly EventStore[]> {
  assert.ok(reopen !== undefined, 'a store that outlives its object is tested with `reopen`');
  return Promise.all(Array.from({ length: count }, async () => reopen()));
}
