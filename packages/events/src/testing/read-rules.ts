import assert from 'node:assert/strict';
import { EventStoreError } from '../errors.js';
import type { Event } from '../event.js';
import { parseEvent } from '../parse-event.js';
import { failsWith, messages, readAll, readBatches, readIds } from './store-rule.js';
import type { StoreRule } from './store-rule.js';

/** The promises of `read`. */
export const readRules: readonly StoreRule[] = [
  {
    name: 'a conversation that does not exist has no events',
    async check({ store }) {
      assert.deepEqual(await readAll(store, 'c'), []);
      assert.deepEqual(await readAll(store, 'c', { from: 3 }), []);
    },
  },
  {
    name: 'a reading begins at the index that was asked for',
    async check({ store }) {
      const events = messages(5);
      await store.append('c', events.slice(0, 4));
      await store.append('c', events.slice(4));
      for (let from = 0; from <= 6; from++) {
        assert.deepEqual(await readAll(store, 'c', { from }), events.slice(from));
      }
      for (const from of [-1, 0.5, Number.NaN]) await failsWith(EventStoreError, () => readAll(store, 'c', { from }));
    },
  },
  {
    name: 'events come back as they went in: fields and kinds that nobody knows, any text, any depth',
    async check({ store }) {
      const events = strangeEvents();
      await store.append('c', events);
      const read = await readAll(store, 'c');
      assert.deepEqual(read, events);
      assert.equal(JSON.stringify(read), JSON.stringify(events));
    },
  },
  {
    name: 'events are frozen when they are handed out, however deep',
    async check({ store }) {
      await store.append('c', messages(1));
      const [event] = await readAll(store, 'c');
      assert.ok(event?.type === 'message');
      for (const part of [event, event.content, event.content[0]]) assert.ok(Object.isFrozen(part));
    },
  },
  {
    name: 'a reading that was aborted ends with the reason',
    async check({ store }) {
      await store.append('c', messages(3));
      const reason = new Error('enough');
      await assert.rejects(readAll(store, 'c', { signal: AbortSignal.abort(reason) }), reason);
      const controller = new AbortController();
      const seen: string[] = [];
      await assert.rejects(async () => {
        for await (const event of store.read('c', { signal: controller.signal })) {
          seen.push(event.id);
          controller.abort(reason);
        }
      }, reason);
      assert.deepEqual(seen, ['event-1']);
    },
  },
  {
    name: 'a reading in batches hands out the same events, from any index, and no empty batch',
    async check({ store }) {
      if (store.read('c').batches === undefined) return;
      assert.deepEqual(await readBatches(store, 'c'), []);
      const events = [...messages(3), ...strangeEvents()];
      await store.append('c', events.slice(0, 4));
      await store.append('c', events.slice(4));
      for (let from = 0; from <= events.length + 1; from++) {
        const batches = await readBatches(store, 'c', { from });
        assert.deepEqual(batches.flat(), events.slice(from));
        for (const batch of batches) assert.ok(batch.length > 0, 'a batch is empty');
      }
      for (const [event] of await readBatches(store, 'c')) assert.ok(Object.isFrozen(event));
      for (const from of [-1, 0.5]) await failsWith(EventStoreError, () => readBatches(store, 'c', { from }));
    },
  },
  {
    name: 'a reading in batches that was aborted ends with the reason, and one can be given up',
    async check({ store }) {
      if (store.read('c').batches === undefined) return;
      await store.append('c', messages(3));
      const reason = new Error('enough');
      await assert.rejects(readBatches(store, 'c', { signal: AbortSignal.abort(reason) }), reason);
      for await (const _ of store.read('c').batches?.() ?? []) {
        await store.append('c', messages(1, 'more-'));
        break;
      }
      assert.deepEqual((await readBatches(store, 'c')).flat(), [...messages(3), ...messages(1, 'more-')]);
    },
  },
  {
    name: 'a reading can be given up, and does not stand in the way of an append',
    async check({ store }) {
      const events = messages(4);
      await store.append('c', events.slice(0, 3));
      for await (const event of store.read('c')) {
        if (event.id === 'event-2') break;
        await store.append('c', events.slice(3));
      }
      assert.deepEqual(await readAll(store, 'c'), events);
    },
  },
  {
    name: 'a reading while others append sees whole appends and no gap',
    async check({ store }) {
      const size = 5;
      const batches = Array.from({ length: 12 }, (_, index) => messages(size, `${index}-`));
      const all = batches.flat().map((event) => event.id);
      await store.append('c', batches[0] as readonly Event[]);
      let isWriting = true;
      const writing = (async () => {
        for (const events of batches.slice(1)) await store.append('c', events);
      })().finally(() => (isWriting = false));
      for (let ids: string[] = []; isWriting && ids.length < all.length;) {
        ids = await readIds(store, 'c');
        assert.equal(ids.length % size, 0);
        assert.deepEqual(ids, all.slice(0, ids.length));
        // A store that reads without waiting for anything must not keep the writer from its turn.
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      await writing;
      assert.deepEqual(await readIds(store, 'c'), all);
    },
  },
];

function strangeEvents(): readonly Event[] {
  const base = { id: 'x', timestamp: '2026-01-01T00:00:00Z', source: 'environment' };
  const deep = JSON.parse('['.repeat(200) + ']'.repeat(200)) as unknown;
  const own = JSON.parse('{"__proto__":{"a":1},"constructor":2,"":3}') as object;
  const texts = [
    'line\nbreak\r\n',
    '\u2028\u2029',
    '\u0000',
    'é and e\u0301',
    '🗒️',
    '\ud800 alone',
    ' spaces ',
    '\ufeff',
  ];
  return [
    { ...base, type: 'acme/note', nested: { list: [1, 2.5, -3e-9, null, true, {}] } },
    { ...base, id: '🗒️ any text\n', type: 'a-type-from-tomorrow', deep, own },
    { ...base, type: 'message', source: 'user', role: 'user', content: [], sinceTomorrow: { texts } },
    { ...base, type: 'message', source: 'hook', role: 'critic', content: [{ type: 'audio', data: [null] }] },
    // Halves of surrogate pairs: providers refuse them, a log keeps them.
    {
      ...base,
      id: 'half \ud83d',
      type: 'action',
      source: 'agent',
      thought: [{ type: 'text', text: '\ude00 alone' }],
      toolCall: { id: '\ud83d', name: 'r\ude00', arguments: '{"a":"\ud83d","b":"\\ud83d"}' },
      llmResponseId: 'r-\ud83d',
      thinkingBlocks: [{ type: 'thinking', thinking: '\ud83d', signature: '\ude00' }],
      'key \ude00': '\ude00\ud83d',
    },
    { ...base, type: 'acme/large', text: 'x'.repeat(1_000_000) },
  ].map((event) => parseEvent(event));
}
