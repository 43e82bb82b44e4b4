import { expect, test } from 'vitest';
import { broken, changed, ruleOf, writerOn } from '../../test-support/broken-stores.js';
import type { Flaw } from '../../test-support/broken-stores.js';
import { EventStoreError } from '../errors.js';
import type { ConversationWriter, EventStore } from '../event-store.js';
import type { Event } from '../event.js';
import { memoryEventStore } from '../memory-event-store.js';

/** Flaws of stores that can be opened for writing. */
const flawsOfWriters: readonly Flaw[] = [
  {
    flaw: 'lets everybody open a conversation',
    rule: 'of several who open at the same time',
    breakStore: (good) => ({ openForWriting: async (id) => writerOn(good, id) }),
  },
  {
    flaw: 'keeps those who open apart, and not those who append beside them',
    rule: 'while a writer is open',
    breakStore: (good) => {
      const open = new Set<string>();
      return {
        async openForWriting(id) {
          if (open.has(id)) await (await good.openForWriting?.(id))?.close();
          const lock = await good.openForWriting?.(`lock ${id}`);
          return { ...writerOn(good, id), close: async () => lock?.close() };
        },
      };
    },
  },
  {
    flaw: 'locks all conversations with one',
    rule: 'while a writer is open',
    breakStore: (good) => {
      let last: ConversationWriter | undefined;
      return {
        async openForWriting(id) {
          const lock = await good.openForWriting?.('the only lock');
          last = await good.openForWriting?.(id);
          return changed(last, (writer) => ({ close: async () => void (await lock?.close(), await writer.close()) }));
        },
      };
    },
  },
  {
    flaw: 'waits for the writer to be closed',
    rule: 'while a writer is open',
    breakStore: (good) => ({
      async openForWriting(id) {
        for (let turn = 0; ; turn++) {
          try {
            return changed(await good.openForWriting?.(id), () => ({}));
          } catch (error) {
            if (turn === 1000) throw new EventStoreError('it took too long', { cause: error });
            await new Promise(setImmediate);
          }
        }
      },
    }),
  },
  {
    flaw: 'lets a closed writer append',
    rule: 'a writer that was closed',
    breakStore: (good) => ({
      openForWriting: async (id) =>
        changed(await good.openForWriting?.(id), () => ({
          append: (events, options) => withoutLock(good, id, events, options),
        })),
    }),
  },
  {
    flaw: 'opens the conversation to all when a writer is closed for a second time',
    rule: 'a writer that was closed',
    breakStore: (good) => {
      const current = new Map<string, ConversationWriter>();
      return {
        openForWriting: async (id) =>
          changed(await good.openForWriting?.(id), (writer) => {
            current.set(id, writer);
            return { close: async () => current.get(id)?.close() };
          }),
      };
    },
  },
  {
    flaw: 'does not check the expected version of a writer',
    rule: 'a writer appends all or none',
    breakStore: (good) => ({
      openForWriting: async (id) =>
        changed(await good.openForWriting?.(id), (writer) => ({ append: (events) => writer.append(events) })),
    }),
  },
  {
    flaw: 'lets a writer append event after event',
    rule: 'a writer appends all or none',
    breakStore: (good) => ({
      openForWriting: async (id) =>
        changed(await good.openForWriting?.(id), (writer) => ({
          async append(events, options) {
            let result = await writer.append([], options);
            for (const event of events) result = await writer.append([event]);
            return result;
          },
        })),
    }),
  },
  {
    flaw: 'keeps what a writer appends until it is closed',
    rule: 'a writer appends as the store does',
    breakStore: (good) => ({
      openForWriting: async (id) =>
        changed(await good.openForWriting?.(id), (writer) => {
          const kept: Event[] = [];
          return {
            async append(events) {
              const { version } = await writer.append([]);
              return { version: version + kept.push(...events) };
            },
            async close() {
              await writer.append(kept);
              await writer.close();
            },
          };
        }),
    }),
  },
  {
    flaw: 'does not let go when a writer is closed',
    rule: 'a writer appends as the store does',
    breakStore: (good) => ({
      openForWriting: async (id) => changed(await good.openForWriting?.(id), () => ({ close: async () => undefined })),
    }),
  },
  {
    flaw: 'closes a writer before its appends are stored',
    rule: 'appends of a writer at the same time',
    breakStore: (good) => ({
      openForWriting: async (id) =>
        changed(await good.openForWriting?.(id), (writer) => ({
          async append(events, options) {
            await new Promise(setImmediate);
            return writer.append(events, options);
          },
        })),
    }),
  },
  {
    flaw: 'mixes up the appends of a writer',
    rule: 'appends of a writer at the same time',
    breakStore: (good) => ({
      openForWriting: async (id) =>
        changed(await good.openForWriting?.(id), (writer) => {
          let waiting: (() => Promise<void>)[] = [];
          const flush = async () => {
            const last = waiting.reverse();
            waiting = [];
            for (const append of last) await append();
          };
          return {
            append: (events, options) =>
              new Promise((resolve, reject) => {
                waiting.push(async () => writer.append(events, options).then(resolve, reject));
                if (waiting.length === 1) setImmediate(() => void flush());
              }),
            async close() {
              await flush();
              await writer.close();
            },
          };
        }),
    }),
  },
  {
    flaw: 'makes a conversation when it is opened',
    rule: 'a conversation that does not exist can be opened',
    breakStore: (good) => ({
      async *list() {
        yield* good.list();
        yield* [...(opened.get(good) ?? [])].map((conversationId) => ({ conversationId, version: 0 }));
      },
      async openForWriting(id) {
        const ids = opened.get(good) ?? new Set();
        opened.set(good, ids.add(id));
        return changed(await good.openForWriting?.(id), () => ({}));
      },
    }),
  },
  {
    flaw: 'opens anything',
    rule: 'what is no conversation id is not opened',
    breakStore: (good) => ({
      openForWriting: async (id) => changed(await good.openForWriting?.(String(id).slice(0, 9) || 'none'), () => ({})),
    }),
  },
];

const opened = new WeakMap<EventStore, Set<string>>();

test.each(flawsOfWriters)('a store that $flaw is caught: $rule …', async ({ rule, breakStore }) => {
  const run = ruleOf(() => ({ store: broken(memoryEventStore(), breakStore) }), rule);
  await expect(run()).rejects.toThrow();
});

/** Appends whether a writer is open or not. */
async function withoutLock(good: EventStore, id: string, ...rest: Parameters<ConversationWriter['append']>) {
  const writer = await good.openForWriting?.(id).catch(() => undefined);
  try {
    return await (writer === undefined ? good.append(id, ...rest) : writer.append(...rest));
  } finally {
    await writer?.close();
  }
}
