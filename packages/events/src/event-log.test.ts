import { expect, test } from 'vitest';
import { ConcurrencyError, DuplicateEventError, EventStoreError, InvalidEventError } from './errors.js';
import { EventLog } from './event-log.js';
import type { EventStore } from './event-store.js';
import type { Event } from './event.js';
import { memoryEventStore } from './memory-event-store.js';
import { logBuilder } from './testing/index.js';

function events(count: number, idPrefix = 'event-'): readonly Event[] {
  const log = logBuilder({ idPrefix });
  for (let number = 1; number <= count; number++) log.user(`message ${number}`);
  return log.events;
}

const ids = (log: Iterable<Event>) => [...log].map((event) => event.id);

test('events stand in the order in which they were appended, and are found by id and by index', async () => {
  const log = new EventLog('c');
  const [first, second, third] = events(3) as [Event, Event, Event];
  await log.append(first);
  await log.append(second, third);
  expect([...log]).toEqual([first, second, third]);
  expect(log.length).toBe(3);
  expect(log.get('event-2')).toEqual(second);
  expect(log.get('event-9')).toBeUndefined();
  expect([log.at(0), log.at(-1), log.at(3)]).toEqual([first, third, undefined]);
  expect(log.slice(1)).toEqual([second, third]);
});

test('an array stands for its events, however many', async () => {
  const log = new EventLog('c');
  // More than a function can be called with.
  const [event] = events(1) as [Event];
  const many = Array.from({ length: 150_000 }, (_, index) => ({ ...event, id: `many-${index}` }));
  await log.append(many);
  expect(log.length).toBe(many.length);
  await log.append(...events(2, 'more-'), events(1, 'last-'));
  expect(ids(log).slice(-3)).toEqual(['more-1', 'more-2', 'last-1']);
});

test('an append is in the store before anybody sees it', async () => {
  const memory = memoryEventStore();
  const seenByStore: number[] = [];
  const store: typeof memory = {
    ...memory,
    append: (id, appended, options) => {
      seenByStore.push(log.length);
      return memory.append(id, appended, options);
    },
  };
  const log = new EventLog('c', { store });
  log.observe(() => seenByStore.push(-1));
  await log.append(...events(2));
  expect(seenByStore).toEqual([0, -1, -1]);
});

test('a repeated id is refused, also within one append, and nothing is appended', async () => {
  const store = memoryEventStore();
  const log = new EventLog('c', { store });
  const [first, second] = events(2) as [Event, Event];
  await log.append(first);
  for (const batch of [[first], [second, first], [second, second]]) {
    const error = await log.append(...batch).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(DuplicateEventError);
    expect(error).toMatchObject({ code: 'duplicate-event', eventId: batch.at(-1)?.id });
  }
  expect(ids(log)).toEqual(['event-1']);
  expect(ids(await EventLog.open('c', { store }))).toEqual(['event-1']);
});

test('an append with something that is no event appends nothing, and the log goes on', async () => {
  const log = new EventLog('c');
  const [first, second] = events(2) as [Event, Event];
  await expect(log.append(first, { ...second, id: '' })).rejects.toThrow(InvalidEventError);
  await log.append(second);
  expect(ids(log)).toEqual(['event-2']);
});

test('events are copied and frozen when they are appended, not when their turn comes', async () => {
  const log = new EventLog('c');
  const mine = structuredClone(events(1)[0]) as unknown as { content: { text: string }[] };
  const before = log.append(...events(1, 'before-'));
  const appended = log.append(mine as unknown as Event);
  (mine.content[0] as { text: string }).text = 'changed';
  await Promise.all([before, appended]);
  expect(log.at(1)).toEqual(events(1)[0]);
  expect(Object.isFrozen(log.at(1))).toBe(true);
});

test('appends at the same time take effect one after another, in the order of the calls', async () => {
  const log = new EventLog('c', { store: memoryEventStore() });
  await Promise.all(events(20).map((event) => log.append(event)));
  expect(ids(log)).toEqual(ids(events(20)));
});

test('a failed append does not stop the ones that wait behind it', async () => {
  const memory = memoryEventStore();
  let appends = 0;
  const store: typeof memory = {
    ...memory,
    append: async (id, appended, options) => {
      if (appends++ === 0) throw new EventStoreError('the disk is full');
      return await memory.append(id, appended, options);
    },
  };
  const log = new EventLog('c', { store });
  const [first, second] = events(2) as [Event, Event];
  const observed: string[] = [];
  log.observe((event) => observed.push(event.id));
  const [failing, waiting] = await Promise.allSettled([log.append(first), log.append(second)]);
  expect(failing).toMatchObject({ status: 'rejected', reason: expect.any(EventStoreError) });
  expect(waiting.status).toBe('fulfilled');
  expect([ids(log), observed]).toEqual([['event-2'], ['event-2']]);
});

/** A store that refuses an append in which this event stands, and the log that is open for writing in it. */
async function writingBeside(refused: string) {
  const memory = memoryEventStore();
  const stored: string[][] = [];
  const store: EventStore = {
    ...memory,
    openForWriting: async (id) => {
      const writer = await memory.openForWriting?.(id);
      if (writer === undefined) throw new Error('the memory store can be opened for writing');
      return {
        ...writer,
        append: async (appended, options) => {
          if (appended.some((event) => event.id === refused)) throw new EventStoreError('no such event here');
          if (appended.length > 0) stored.push(ids(appended));
          return writer.append(appended, options);
        },
      };
    },
  };
  const log = await EventLog.open('c', { store });
  return { log, stored, right: await log.openForWriting() };
}

test('appends that wait are stored together where the log has the writer, each with a result of its own', async () => {
  const { log, stored, right } = await writingBeside('none');
  const observed: string[] = [];
  log.observe((event, index) => observed.push(`${event.id} ${index}`));
  const [a, b, c] = events(3, 'a-');
  const appended = [log.append(a as Event), log.append(b as Event, c as Event), log.append(a as Event), log.append()];
  const results = await Promise.allSettled(appended);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(results[2]).toMatchObject({ reason: expect.any(DuplicateEventError) });
  expect(stored).toEqual([['a-1', 'a-2', 'a-3']]);
  expect(observed).toEqual(['a-1 0', 'a-2 1', 'a-3 2']);
  // What is read in between stays in between.
  await Promise.all([log.append(events(1, 'b-')), log.catchUp(), log.append(events(1, 'c-'))]);
  expect(stored.slice(1)).toEqual([['b-1'], ['c-1']]);
  await right.close();
});

test('where appends cannot be stored together, only the one that is to blame fails', async () => {
  const { log, stored, right } = await writingBeside('b-1');
  const results = await Promise.allSettled(['a-', 'b-', 'c-'].map((prefix) => log.append(events(1, prefix))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(stored).toEqual([['a-1'], ['c-1']]);
  expect(ids(log)).toEqual(['a-1', 'c-1']);
  await right.close();
});

test('a log that is opened for writing reads what others have appended, and nothing where nobody has', async () => {
  const memory = memoryEventStore();
  const read: number[] = [];
  const store: EventStore = {
    ...memory,
    read: (id, options) => {
      read.push(options?.from ?? 0);
      return memory.read(id, options);
    },
  };
  const log = await EventLog.open('c', { store });
  await (await log.openForWriting()).close();
  await memory.append('c', events(2));
  await (await log.openForWriting()).close();
  await (await log.openForWriting()).close();
  expect(ids(log)).toEqual(['event-1', 'event-2']);
  expect(read).toEqual([0, 0]);
});

test('of two logs on one conversation the one whose knowledge is old gets ConcurrencyError and stays as it was', async () => {
  const store = memoryEventStore();
  const one = await EventLog.open('c', { store });
  const other = await EventLog.open('c', { store });
  await one.append(...events(1, 'one-'));
  await expect(other.append(...events(1, 'other-'))).rejects.toThrow(ConcurrencyError);
  expect(other.length).toBe(0);
  expect(ids(await EventLog.open('c', { store }))).toEqual(['one-1']);
});

/** A store whose first answer gets lost: the events are stored, and the append fails. */
function losingFirstAnswer({ retries = false } = {}) {
  const { openForWriting: _, ...memory } = memoryEventStore();
  let isLost = false;
  const store: EventStore = {
    ...memory,
    append: async (id, appended, options) => {
      const answer = await memory.append(id, appended, options);
      if (isLost) return answer;
      isLost = true;
      if (retries) return memory.append(id, appended, options);
      throw new EventStoreError('the connection was lost');
    },
  };
  return store;
}

test('an append that was stored and seemed to fail does not stop the next one', async () => {
  const store = losingFirstAnswer();
  const log = await EventLog.open('c', { store });
  const seen: string[] = [];
  log.observe((event, index) => seen.push(`${event.id} ${index}`));
  await expect(log.append(events(2, 'a-'))).rejects.toThrow('the connection was lost');
  expect(log.length).toBe(0);
  await log.append(events(1, 'b-'));
  expect(seen).toEqual(['a-1 0', 'a-2 1', 'b-1 2']);
  expect(ids(await EventLog.open('c', { store }))).toEqual(['a-1', 'a-2', 'b-1']);
});

test.each([
  ['by its caller', false],
  ['by the store', true],
])('an append that was stored and is tried again %s is appended once', async (_, retries) => {
  const store = losingFirstAnswer({ retries });
  const log = await EventLog.open('c', { store });
  if (!retries) await expect(log.append(events(2))).rejects.toThrow('the connection was lost');
  await log.append(events(2));
  expect(ids(log)).toEqual(['event-1', 'event-2']);
  expect(ids(await EventLog.open('c', { store }))).toEqual(['event-1', 'event-2']);
});

test('events of another writer behind an append that seemed to fail are not taken in', async () => {
  const store = losingFirstAnswer();
  const log = await EventLog.open('c', { store });
  await expect(log.append(events(1, 'a-'))).rejects.toThrow('the connection was lost');
  await store.append('c', events(1, 'other-'));
  await expect(log.append(events(1, 'b-'))).rejects.toThrow(ConcurrencyError);
  expect(log.length).toBe(0);
  await log.catchUp();
  await log.append(events(1, 'b-'));
  expect(ids(log)).toEqual(['a-1', 'other-1', 'b-1']);
});

test('a stored log in which an id stands twice is refused when it is opened', async () => {
  const store = memoryEventStore();
  await store.append('c', [...events(2), ...events(1)]);
  await expect(EventLog.open('c', { store })).rejects.toMatchObject({ code: 'duplicate-event', eventId: 'event-1' });
});

test('opening can be aborted', async () => {
  const store = memoryEventStore();
  await store.append('c', events(1));
  await expect(EventLog.open('c', { store, signal: AbortSignal.abort('stop') })).rejects.toBe('stop');
});

test('observers see each event with its index, once the whole append is in the log', async () => {
  const log = new EventLog('c');
  await log.append(...events(1, 'before-'));
  const seen: [string, number, number][] = [];
  const stop = log.observe((event, index) => seen.push([event.id, index, log.length]));
  await log.append(...events(2));
  stop();
  stop();
  await log.append(...events(1, 'after-'));
  expect(seen).toEqual([
    ['event-1', 1, 3],
    ['event-2', 2, 3],
  ]);
});

test('an observer that throws or rejects is reported, and the others still run', async () => {
  const reported: [unknown, string][] = [];
  const log = new EventLog('c', {
    onObserverError: (error, event) => {
      reported.push([error, event.id]);
      throw new Error('the reporter throws too');
    },
  });
  const seen: string[] = [];
  log.observe(() => {
    throw new Error('thrown');
  });
  log.observe((): void => Promise.reject(new Error('rejected')) as unknown as void);
  log.observe((event) => void seen.push(event.id));
  await log.append(...events(1));
  await Promise.resolve();
  expect(seen).toEqual(['event-1']);
  expect(reported).toEqual([
    [new Error('thrown'), 'event-1'],
    [new Error('rejected'), 'event-1'],
  ]);
  // Without a reporter nobody is told, and nothing breaks.
  const silent = new EventLog('c');
  silent.observe(() => {
    throw new Error('thrown');
  });
  await expect(silent.append(...events(1))).resolves.toBeUndefined();
});

test('an observer may come, go and append while others are called', async () => {
  const log = new EventLog('c');
  const seen: string[] = [];
  const stopLast: { current?: () => void } = {};
  let appended: Promise<void> | undefined;
  log.observe((event) => {
    if (event.id !== 'event-1') return;
    log.observe((later) => seen.push(`new ${later.id}`));
    stopLast.current?.();
    appended = log.append(...events(1, 'more-'));
  });
  stopLast.current = log.observe((event) => seen.push(`last ${event.id}`));
  await log.append(...events(2));
  await appended;
  expect(seen).toEqual(['new event-2', 'new more-1']);
  expect(ids(log)).toEqual(['event-1', 'event-2', 'more-1']);
});

test('one function can observe twice, and each ends by itself', async () => {
  const log = new EventLog('c');
  let calls = 0;
  const observer = () => void calls++;
  const stop = log.observe(observer);
  log.observe(observer);
  await log.append(...events(1));
  stop();
  await log.append(...events(1, 'more-'));
  expect(calls).toBe(3);
});
