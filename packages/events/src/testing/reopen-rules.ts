import assert from 'node:assert/strict';
import { ConcurrencyError } from '../errors.js';
import type { Event } from '../event.js';
import type { EventStore } from '../event-store.js';
import { failsWith, listAll, messages, readAll, readIds } from './store-rule.js';
import type { StoreRule, StoreUnderTest } from './store-rule.js';

/** The promises of a store that outlives its object. */
export const reopenRules: readonly StoreRule[] = [
  {
    name: 'what was appended is there for another store, and the other way round',
    async check(underTest) {
      const { store } = underTest;
      const other = await reopened(underTest);
      const events = messages(6);
      const everyoneSees = async (version: number) => {
        for (const reader of [store, other, await reopened(underTest)]) {
          assert.deepEqual(await readAll(reader, 'c'), events.slice(0, version));
          assert.deepEqual(await listAll(reader), [['c', version]]);
        }
      };
      await store.append('c', events.slice(0, 2));
      await everyoneSees(2);
      assert.deepEqual(await other.append('c', events.slice(2, 3), { expectedVersion: 2 }), { version: 3 });
      await everyoneSees(3);
      assert.deepEqual(await store.append('c', events.slice(3, 4), { expectedVersion: 3 }), { version: 4 });
      await everyoneSees(4);
      assert.deepEqual(await other.append('c', events.slice(4)), { version: 6 });
      await everyoneSees(6);
    },
  },
  {
    name: 'a store whose knowledge is old fails with ConcurrencyError, and nothing is lost',
    async check(underTest) {
      const { store } = underTest;
      const other = await reopened(underTest);
      const [first, second, third] = messages(3) as [Event, Event, Event];
      await store.append('c', [first], { expectedVersion: 0 });
      await other.append('c', [second], { expectedVersion: 1 });
      const error = await failsWith(ConcurrencyError, () => store.append('c', [third], { expectedVersion: 1 }));
      assert.equal(error.actualVersion ?? 2, 2);
      assert.deepEqual(await readAll(store, 'c'), [first, second]);
    },
  },
  {
    name: 'of several stores that append at the same expected version exactly one wins, time after time',
    async check(underTest) {
      const stores = [underTest.store, await reopened(underTest), await reopened(underTest)];
      const won: string[] = [];
      for (let round = 0; round < 8; round++) {
        const events = stores.map((_, index) => messages(2, `${round}-${index}-`));
        const results = await Promise.allSettled(
          stores.map(async (store, index) => store.append('c', events[index] ?? [], { expectedVersion: 2 * round })),
        );
        const winners = results.flatMap((result, index) => (result.status === 'fulfilled' ? [index] : []));
        assert.equal(winners.length, 1, `${winners.length} appends of three won at version ${2 * round}`);
        for (const result of results) {
          if (result.status === 'rejected')
            assert.ok(ConcurrencyError.isInstance(result.reason), String(result.reason));
        }
        won.push(...(events[winners[0] ?? 0] ?? []).map((event) => event.id));
      }
      assert.deepEqual(await readIds(underTest.store, 'c'), won);
    },
  },
  {
    name: 'two stores that read and retry after every lost race lose and double nothing',
    async check(underTest) {
      const stores = [underTest.store, await reopened(underTest)];
      const events = stores.map((_, index) => messages(15, `${index}-`));
      await Promise.all(
        stores.map(async (store, index) => {
          for (const event of events[index] ?? []) await appendWithRetry(store, event);
        }),
      );
      const ids = await readIds(await reopened(underTest), 'c');
      assert.equal(new Set(ids).size, ids.length);
      for (const [index, own] of events.entries()) {
        assert.deepEqual(
          ids.filter((id) => id.startsWith(`${index}-`)),
          own.map((event) => event.id),
        );
      }
    },
  },
];

async function reopened({ reopen }: StoreUnderTest): Promise<EventStore> {
  if (reopen === undefined) throw new Error("with 'reopens', 'create' has to give a 'reopen'");
  return await reopen();
}

async function appendWithRetry(store: EventStore, event: Event): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const expectedVersion = (await readIds(store, 'c')).length;
    try {
      await store.append('c', [event], { expectedVersion });
      return;
    } catch (error) {
      if (!ConcurrencyError.isInstance(error)) throw error;
    }
  }
  throw new Error('a store that reads and retries never wins');
}
