import { expect, test } from 'vitest';
import { broken, changed, ruleOf, rulesOf, writerOn } from '../../test-support/broken-stores.js';
import type { Flaw } from '../../test-support/broken-stores.js';
import { ConcurrencyError } from '../errors.js';
import type { Event } from '../event.js';
import type { EventStore } from '../event-store.js';
import { memoryEventStore } from '../memory-event-store.js';
import { isKnownContent } from '../event-content.js';
import { parseEvent } from '../parse-event.js';

const flaws: readonly Flaw[] = [
  {
    flaw: 'ignores the expected version',
    rule: 'an append at another version',
    breakStore: (good) => ({ append: (id, events) => good.append(id, events) }),
  },
  {
    flaw: 'answers with the number of events in the append',
    rule: 'an append resolves to',
    breakStore: (good) => ({
      append: async (id, events, options) => {
        await good.append(id, events, options);
        return { version: events.length };
      },
    }),
  },
  {
    flaw: 'stores event after event',
    rule: 'an append with an invalid event',
    breakStore: (good) => ({
      append: async (id, events, options) => {
        let result = await good.append(id, [], options);
        for (const event of events) result = await good.append(id, [event]);
        return result;
      },
    }),
  },
  {
    flaw: 'loses the last event of an append',
    rule: 'an append resolves to',
    breakStore: (good) => ({
      append: async (id, events, options) => {
        const { version } = await good.append(id, events.length > 1 ? events.slice(0, -1) : events, options);
        return { version: version + (events.length > 1 ? 1 : 0) };
      },
    }),
  },
  {
    flaw: 'stores every second append twice',
    rule: 'an append resolves to',
    breakStore: (good) => {
      let appends = 0;
      return {
        append: async (id, events, options) => {
          const result = await good.append(id, events, options);
          return ++appends % 2 === 0 ? await good.append(id, events) : result;
        },
      };
    },
  },
  {
    flaw: 'puts new events first',
    rule: 'an append resolves to',
    breakStore: (good) => ({
      async *read(id, options) {
        const events = await all(good, id);
        yield* [...events].reverse().slice(options?.from ?? 0);
      },
    }),
  },
  {
    flaw: 'answers before it has stored',
    rule: 'an append resolves to',
    breakStore: (good) => ({
      append: async (id, events, options) => {
        const { version } = await good.append(id, [], options);
        setImmediate(() => void good.append(id, events));
        return { version: version + events.length };
      },
    }),
  },
  {
    flaw: 'checks the version and appends later',
    rule: 'of two appends at the same expected version',
    breakStore: (good) => ({
      append: async (id, events, options) => {
        const parsed = events.map((event) => parseEvent(event));
        await good.append(id, [], options);
        await new Promise(setImmediate);
        return good.append(id, parsed);
      },
    }),
  },
  {
    flaw: 'fails with a plain error when the race is lost',
    rule: 'of two appends at the same expected version',
    breakStore: (good) => ({
      append: (id, events, options) =>
        good.append(id, events, options).catch((error: unknown) => {
          throw ConcurrencyError.isInstance(error) ? new Error('conflict') : error;
        }),
    }),
  },
  {
    flaw: 'names a wrong version when the race is lost',
    rule: 'an append at another version',
    breakStore: (good) => ({
      append: (id, events, options) =>
        good.append(id, events, options).catch((error: unknown) => {
          if (!ConcurrencyError.isInstance(error)) throw error;
          throw new ConcurrencyError({ ...error, actualVersion: 0 });
        }),
    }),
  },
  {
    flaw: 'creates a conversation by appending nothing',
    rule: 'an append of nothing',
    breakStore: (good) => {
      const touched = new Set<string>();
      return {
        append: (id, events, options) => {
          touched.add(id);
          return good.append(id, events, options);
        },
        async *list() {
          for (const conversationId of touched)
            yield { conversationId, version: (await all(good, conversationId)).length };
        },
      };
    },
  },
  {
    flaw: "keeps the caller's objects",
    rule: 'what is stored does not change',
    breakStore: (good) => {
      const kept = new Map<string, Event>();
      return {
        append: (id, events, options) => {
          for (const event of events) kept.set(event.id, event);
          return good.append(id, events, options);
        },
        async *read(id, options) {
          for await (const event of good.read(id, options)) yield kept.get(event.id) ?? event;
        },
      };
    },
  },
  {
    flaw: 'passes all events to one call',
    rule: 'an append of many events',
    breakStore: (good) => ({
      append: (id, events, options) => {
        [].push(...(events as never[]));
        return good.append(id, events, options);
      },
    }),
  },
  {
    flaw: 'ignores where a reading begins',
    rule: 'a reading begins at',
    breakStore: (good) => ({ read: (id, options) => good.read(id, { ...options, from: 0 }) }),
  },
  {
    flaw: 'begins a reading one too late',
    rule: 'a reading begins at',
    breakStore: (good) => ({
      read: (id, options) => good.read(id, { ...options, from: options?.from ? options.from + 1 : 0 }),
    }),
  },
  {
    flaw: 'begins a reading before the first event',
    rule: 'a reading begins at',
    breakStore: (good) => ({
      read: (id, options) => good.read(id, { ...options, from: Math.max(0, Math.floor(options?.from ?? 0) || 0) }),
    }),
  },
  {
    flaw: 'ignores the signal',
    rule: 'a reading that was aborted',
    breakStore: (good) => ({
      read: (id, options) => good.read(id, options?.from === undefined ? {} : { from: options.from }),
    }),
  },
  {
    flaw: 'ignores where a reading in batches begins',
    rule: 'a reading in batches hands out',
    breakStore: (good) => withBatches(good, (id) => batchesOf(good, id)),
  },
  {
    flaw: 'loses the last batch',
    rule: 'a reading in batches hands out',
    breakStore: (good) =>
      withBatches(good, async function* (id, options) {
        for await (const batch of batchesOf(good, id, options)) {
          if (batch.length > 2) yield batch.slice(0, 2);
          if (batch.length > 3) yield batch.slice(2, -1);
        }
      }),
  },
  {
    flaw: 'hands out empty batches',
    rule: 'a reading in batches hands out',
    breakStore: (good) =>
      withBatches(good, async function* (id, options) {
        for await (const batch of batchesOf(good, id, options)) yield* [batch, []];
      }),
  },
  {
    flaw: 'hands out batches of events that can be changed',
    rule: 'a reading in batches hands out',
    breakStore: (good) =>
      withBatches(good, async function* (id, options) {
        for await (const batch of batchesOf(good, id, options)) yield batch.map((event) => structuredClone(event));
      }),
  },
  {
    flaw: 'ignores the signal of a reading in batches',
    rule: 'a reading in batches that was aborted',
    breakStore: (good) =>
      withBatches(good, (id, options) =>
        batchesOf(good, id, options?.from === undefined ? {} : { from: options.from }),
      ),
  },
  {
    flaw: 'forgets what was appended while it read batches',
    rule: 'a reading in batches that was aborted',
    breakStore: (good) => {
      const first = new Map<string, readonly Event[]>();
      return withBatches(good, async function* (id, options) {
        for await (const batch of batchesOf(good, id, options)) {
          first.set(id, first.get(id) ?? batch);
          yield first.get(id) ?? batch;
        }
      });
    },
  },
  {
    flaw: 'hands out events that can be changed',
    rule: 'events are frozen',
    breakStore: (good) => ({
      async *read(id, options) {
        for await (const event of good.read(id, options)) yield structuredClone(event);
      },
    }),
  },
  {
    flaw: 'drops fields that it does not know',
    rule: 'events come back as they went in',
    breakStore: (good) => ({
      async *read(id, options) {
        for await (const event of good.read(id, options)) {
          const { sinceTomorrow: _, ...known } = event as Event & { sinceTomorrow?: unknown };
          yield freeze(known);
        }
      },
    }),
  },
  {
    flaw: 'drops types that it does not know',
    rule: 'events come back as they went in',
    breakStore: (good) => ({
      append: (id, events, options) =>
        good.append(
          id,
          events.filter((event) => event.type !== ('a-type-from-tomorrow' as string)),
          options,
        ),
    }),
  },
  {
    flaw: 'drops parts that it does not know',
    rule: 'events come back as they went in',
    breakStore: (good) => ({
      async *read(id, options) {
        for await (const event of good.read(id, options)) {
          yield event.type === 'message' ? freeze({ ...event, content: event.content.filter(isKnownContent) }) : event;
        }
      },
    }),
  },
  {
    flaw: 'takes an id for a path',
    rule: 'a conversation id is data',
    breakStore: (good) => withIds(good, (id) => id.split('/').at(-1) ?? ''),
  },
  {
    flaw: 'takes capitals for small letters',
    rule: 'a conversation id is data',
    breakStore: (good) => withIds(good, (id) => id.toLowerCase()),
  },
  {
    flaw: 'takes text of one look for one id',
    rule: 'a conversation id is data',
    breakStore: (good) => withIds(good, (id) => id.normalize('NFC')),
  },
  {
    flaw: 'cuts ids at 255 characters',
    rule: 'a conversation id is data',
    breakStore: (good) => withIds(good, (id) => id.slice(0, 255)),
  },
  {
    flaw: 'decodes ids',
    rule: 'a conversation id is data',
    breakStore: (good) =>
      withIds(good, (id) => {
        try {
          return decodeURIComponent(id);
        } catch {
          return id;
        }
      }),
  },
  {
    flaw: 'takes any id',
    rule: 'what is no conversation id',
    breakStore: (good) => withIds(good, (id) => (typeof id === 'string' && id !== '' ? id.slice(0, 512) : 'none')),
  },
  {
    flaw: 'lists one conversation only',
    rule: 'conversations are apart',
    breakStore: (good) => ({
      async *list() {
        for await (const listed of good.list()) return void (yield listed);
      },
    }),
  },
  {
    flaw: 'lists conversations twice',
    rule: 'conversations are apart',
    breakStore: (good) => ({
      async *list() {
        yield* good.list();
        yield* good.list();
      },
    }),
  },
  {
    flaw: 'lists the version before the last append',
    rule: 'conversations are apart',
    breakStore: (good) => ({
      async *list() {
        for await (const { conversationId, version } of good.list()) yield { conversationId, version: version - 1 };
      },
    }),
  },
  {
    flaw: 'shows an append before it is whole',
    rule: 'a reading while others append',
    breakStore: (good) => ({
      append: async (id, events, options) => {
        let result = await good.append(id, events.slice(0, 3), options);
        for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
        if (events.length > 3) result = await good.append(id, events.slice(3));
        return result;
      },
    }),
  },
];

/** Flaws of stores that outlive their objects: what one object knows, another may have changed. */
const flawsBetweenStores: readonly Flaw[] = [
  {
    flaw: 'trusts its own memory of the version',
    rule: 'a store whose knowledge is old',
    breakStore: (good) => {
      const versions = new Map<string, number>();
      return {
        append: async (id, events, options) => {
          const known = versions.get(id);
          const own = options?.expectedVersion === known ? undefined : options;
          const { version } = await good.append(id, events, own);
          versions.set(id, version);
          return { version };
        },
      };
    },
  },
  {
    flaw: 'keeps what it has read',
    rule: 'what was appended is there for another store',
    breakStore: (good) => {
      const cache = new Map<string, Event[]>();
      let ownAppends = 0;
      return {
        append: async (id, events, options) => {
          const result = await good.append(id, events, options);
          ownAppends++;
          return result;
        },
        async *read(id, options) {
          if (options !== undefined) {
            yield* good.read(id, options);
            return;
          }
          const key = `${ownAppends} ${id}`;
          const events = cache.get(key) ?? (await all(good, id));
          cache.set(key, events);
          yield* events;
        },
      };
    },
  },
  {
    flaw: 'keeps others out in its own process only',
    rule: 'of several stores that append',
    breakStore: (good) => {
      let last: Promise<unknown> = Promise.resolve();
      return {
        append: (id, events, options) => {
          const parsed = events.map((event) => parseEvent(event));
          const appended = last.then(async () => {
            await good.append(id, [], options);
            await new Promise(setImmediate);
            return await good.append(id, parsed);
          });
          last = appended.catch(() => undefined);
          return appended;
        },
      };
    },
  },
  {
    flaw: 'keeps other writers out in its own object only',
    rule: 'a writer keeps other stores out',
    breakStore: (good) => {
      const own = memoryEventStore();
      return {
        async openForWriting(id) {
          const lock = await own.openForWriting?.(id);
          return changed(writerOn(good, id), (writer) => ({
            close: async () => void (await writer.close(), await lock?.close()),
          }));
        },
        append: async (id, events, options) => {
          const parsed = events.map((event) => parseEvent(event));
          // What its own writer keeps out.
          await own.append(id, []);
          return good.append(id, parsed, options);
        },
      };
    },
  },
];

test.each(flaws)('a store that $flaw is caught: $rule …', async ({ rule, breakStore }) => {
  const run = ruleOf(() => ({ store: broken(memoryEventStore(), breakStore) }), rule);
  await expect(run()).rejects.toThrow();
});

test.each(flawsBetweenStores)(
  'a store that $flaw is caught beside another one: $rule …',
  async ({ rule, breakStore }) => {
    const create = () => {
      const shared = memoryEventStore();
      return { store: broken(shared, breakStore), reopen: () => broken(shared, breakStore) };
    };
    await expect(ruleOf(create, rule)()).rejects.toThrow();
    // 150,000 events in one append say nothing of two stores; the next test appends them.
    for (const alone of rulesOf(create, false)) if (!alone.name.includes('many events')) await alone.run();
  },
);

test('the store that the flaws are made of is caught by no rule', async () => {
  const create = () => {
    const shared = memoryEventStore();
    return { store: broken(shared, () => ({})), reopen: () => broken(shared, () => ({})) };
  };
  for (const { run } of rulesOf(create, true)) await run();
});

test('a store that says it can be reopened and cannot is caught', async () => {
  await expect(ruleOf(() => ({ store: memoryEventStore() }), 'a store whose knowledge is old')()).rejects.toThrow(
    'reopen',
  );
});

function withIds(good: EventStore, change: (id: string) => string): EventStore {
  return {
    append: (id, events, options) => good.append(change(id), events, options),
    read: (id, options) => good.read(change(id), options),
    list: () => good.list(),
  };
}

type Batches = (id: string, options: Parameters<EventStore['read']>[1]) => AsyncIterable<readonly Event[]>;

function withBatches(good: EventStore, batches: Batches): Partial<EventStore> {
  return {
    read: (id, options) => {
      const reading = good.read(id, options);
      return { [Symbol.asyncIterator]: () => reading[Symbol.asyncIterator](), batches: () => batches(id, options) };
    },
  };
}

function batchesOf(
  good: EventStore,
  ...[id, options]: Parameters<EventStore['read']>
): AsyncIterable<readonly Event[]> {
  const batches = good.read(id, options).batches?.();
  if (batches === undefined) throw new Error('the good store reads no batches');
  return batches;
}

async function all(store: EventStore, id: string): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of store.read(id)) events.push(event);
  return events;
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}
