import assert from 'node:assert/strict';
import { ConcurrencyError, InvalidEventError } from '../errors.js';
import type { Event } from '../event.js';
import { failsWith, listAll, messages, readAll, readIds } from './store-rule.js';
import type { StoreRule } from './store-rule.js';

/** The promises of `append`. */
export const appendRules: readonly StoreRule[] = [
  {
    name: 'an append resolves to the number of events that the conversation then holds',
    async check({ store }) {
      const events = messages(5);
      assert.deepEqual(await store.append('c', events.slice(0, 2)), { version: 2 });
      assert.deepEqual(await store.append('c', events.slice(2, 3)), { version: 3 });
      assert.deepEqual(await store.append('c', events.slice(3)), { version: 5 });
      assert.deepEqual(await readAll(store, 'c'), events);
    },
  },
  {
    name: 'an append of nothing changes nothing, and still checks the expected version',
    async check({ store }) {
      assert.deepEqual(await store.append('c', [], { expectedVersion: 0 }), { version: 0 });
      assert.deepEqual(await listAll(store), []);
      await store.append('c', messages(2));
      assert.deepEqual(await store.append('c', []), { version: 2 });
      await failsWith(ConcurrencyError, () => store.append('c', [], { expectedVersion: 1 }));
      assert.deepEqual(await listAll(store), [['c', 2]]);
    },
  },
  {
    name: 'an append at another version than expected fails with ConcurrencyError and appends nothing',
    async check({ store }) {
      const events = messages(3);
      await failsWith(ConcurrencyError, () => store.append('c', events, { expectedVersion: 1 }));
      await store.append('c', events.slice(0, 2), { expectedVersion: 0 });
      for (const expectedVersion of [0, 1, 3]) {
        const error = await failsWith(ConcurrencyError, () => store.append('c', events.slice(2), { expectedVersion }));
        assert.equal(error.conversationId, 'c');
        assert.equal(error.expectedVersion, expectedVersion);
        // A store that cannot know the version leaves it out.
        assert.equal(error.actualVersion ?? 2, 2);
      }
      assert.deepEqual(await readAll(store, 'c'), events.slice(0, 2));
      assert.deepEqual(await store.append('c', events.slice(2), { expectedVersion: 2 }), { version: 3 });
    },
  },
  {
    name: 'an append with an invalid event among its events appends none of them',
    async check({ store }) {
      const [first, second, third] = messages(3) as [Event, Event, Event];
      await store.append('c', [first]);
      const invalid = { ...third, source: 7 } as unknown as Event;
      const notJson = { ...third, content: () => 'code' } as unknown as Event;
      for (const bad of [invalid, notJson]) {
        await failsWith(InvalidEventError, async () => store.append('c', [second, bad]));
      }
      assert.deepEqual(await readAll(store, 'c'), [first]);
      assert.deepEqual(await store.append('c', [second]), { version: 2 });
    },
  },
  {
    name: 'what is stored does not change when the caller changes its object',
    async check({ store }) {
      const event = JSON.parse(JSON.stringify(messages(1)[0])) as { content: { text: string }[] };
      const text = event.content[0] as { text: string };
      const appended = store.append('c', [event as unknown as Event]);
      text.text = 'changed';
      await appended;
      assert.deepEqual(await readAll(store, 'c'), messages(1));
    },
  },
  {
    name: 'of two appends at the same expected version one wins and one fails with ConcurrencyError',
    async check({ store }) {
      const contenders = [messages(3, 'a-'), messages(3, 'b-'), messages(3, 'c-')];
      const results = await Promise.allSettled(
        contenders.map(async (events) => store.append('c', events, { expectedVersion: 0 })),
      );
      const winner = results.findIndex((result) => result.status === 'fulfilled');
      assert.deepEqual(await readAll(store, 'c'), contenders[winner]);
      for (const [index, result] of results.entries()) {
        if (index === winner) continue;
        assert.ok(result.status === 'rejected' && ConcurrencyError.isInstance(result.reason));
      }
    },
  },
  {
    name: 'appends at the same time happen one after another: none is lost, doubled or mixed with another',
    async check({ store }) {
      const batches = Array.from({ length: 12 }, (_, index) => messages(1 + (index % 3), `${index}-`));
      const results = await Promise.all(batches.map(async (events) => store.append('c', events)));
      const stored = await readAll(store, 'c');
      assert.equal(stored.length, batches.flat().length);
      for (const [index, events] of batches.entries()) {
        const end = results[index]?.version ?? 0;
        assert.deepEqual(stored.slice(end - events.length, end), events);
      }
    },
  },
];

/** Takes the longest, so it comes last. */
export const manyEventsRule: StoreRule = {
  name: 'an append of many events keeps them all, in order',
  async check({ store }) {
    const base = { type: 'acme/note', timestamp: '2026-01-01T00:00:00Z', source: 'user' } as const;
    // More than a function can be called with.
    const events = Array.from({ length: 150_000 }, (_, index) => ({ ...base, id: `event-${index}` }));
    assert.deepEqual(await store.append('c', events), { version: events.length });
    const ids = await readIds(store, 'c');
    // Not compared as arrays: the difference of two so long ones takes minutes to write down.
    assert.equal(ids.length, events.length);
    assert.ok(ids.every((id, index) => id === `event-${index}`));
  },
};
