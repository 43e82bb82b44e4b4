import { randomUUID } from 'node:crypto';
import { migrate, postgresEventStore, postgresInbox } from '@palimpsest/postgres';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { until } from '../test-support/many.js';
import { MortalWorkers } from '../test-support/mortal-workers.js';
import { Database } from './database.js';
import { dbosRunner } from './index.js';
import { keyOf } from './names.js';
import { Troubles } from './troubles.js';

const url = inject('postgresUrl') ?? '';

async function setUp() {
  const name = randomUUID();
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  await migrate(pool);
  const inbox = postgresInbox({ client: pool });
  const store = postgresEventStore({ client: pool });
  const client = dbosRunner({ url, name, open: () => Promise.reject(new Error()), onEnd: () => undefined });
  onTestFinished(async () => {
    await client.stop();
    await pool.end();
  });
  const workers = async (count: number, places: number, poison?: string) => {
    const started = await MortalWorkers.start(count, {
      url,
      name,
      places,
      ...(poison === undefined ? {} : { poison }),
    });
    onTestFinished(() => started.killAll());
    return started;
  };
  const ask = async (conversationId: string, text = 'Work.') => {
    await inbox.put(conversationId, text);
    await client.enqueue(conversationId);
  };
  return { name, inbox, store, client, workers, ask };
}

describe.skipIf(url === '')('a conversation that ends its workers', () => {
  test('is given up after five deaths, is listed and can be resumed; what runs beside it is served', async () => {
    const { client, workers, ask } = await setUp();
    const innocents = ['innocent 1', 'innocent 2', 'innocent 3'].map((id) => `${id} ${randomUUID()}`);
    const poison = `poison ${randomUUID()}`;
    for (const id of [poison, ...innocents]) await ask(id);
    const few = await workers(2, 4);
    const hasEnded = (id: string) =>
      few.told.some((told) => told.type === 'end' && told.conversationId === id && told.end === 'ended');
    await until(async () => (await client.deadLetters()).length > 0 && innocents.every(hasEnded));
    const letters = await client.deadLetters();
    expect(letters).toMatchObject([{ conversationId: poison, reason: 'deaths' }]);
    expect(letters[0]?.explanation).toMatch(/^Workers died while they ran it: 5 without a new result/);
    expect(few.deaths).toBe(5);
    await until(async () => (await client.status()).queued === 0);

    // It is not run again, and who asks learns why.
    await ask(poison, 'Are you there?');
    await until(() => few.told.some((told) => told.type === 'end' && told.code === 'dead-letter'));
    expect(few.deaths).toBe(5);
    await few.stop();
    const mended = await workers(1, 4, 'nobody');
    expect(await client.resume(poison)).toBe(true);
    expect(await client.resume(poison)).toBe(false);
    await until(() => mended.told.some((told) => told.type === 'end' && told.end === 'ended'));
    expect(await client.deadLetters()).toEqual([]);
    await mended.stop();
  });

  test('is not one for a worker that was taken for dead and is not, nor once it has a result; 20 deaths in all are enough', async () => {
    const database = new Database(url, 30_000);
    onTestFinished(() => database.close());
    const troubles = new Troubles(database, randomUUID());
    const died = (id: string, count: number, from = 0) =>
      Array.from({ length: count }, (_, index) => `${id} ${from + index}`).reduce(
        async (last, worker) => (await last, troubles.died(keyOf(id), worker)),
        Promise.resolve({ isGivenUp: false, isToRunAlone: false }),
      );
    expect(await died('a', 1)).toEqual({ isGivenUp: false, isToRunAlone: false });
    expect(await died('a', 4)).toEqual({ isGivenUp: false, isToRunAlone: true });
    await troubles.livesAgain('a 0');
    expect(await died('a', 1, 10)).toMatchObject({ isGivenUp: false });
    expect(await died('a', 1, 11)).toMatchObject({ isGivenUp: true });
    for (let result = 0; result < 4; result++) {
      expect(await died('b', 4, result * 10)).toMatchObject({ isGivenUp: false });
      await troubles.hasResult('b');
    }
    expect(await died('b', 3, 100)).toMatchObject({ isGivenUp: false });
    expect(await died('b', 1, 200)).toMatchObject({ isGivenUp: true });
  });
});

test.skipIf(url === '')(
  'a message that is put in while a run ends is answered, whoever dies meanwhile, and requests of a conversation become one',
  async () => {
    const { store, inbox, client, workers, ask } = await setUp();
    const ids = Array.from({ length: 4 }, (_, index) => `chat ${index} ${randomUUID()}`);
    const few = await workers(3, 2);
    for (let round = 0; round < 60; round++) {
      await Promise.all(ids.map((id) => ask(id, `Message ${round}.`)));
      const { waiting, delayed, running } = await client.counts();
      expect(waiting + delayed + running).toBeLessThanOrEqual(2 * ids.length);
      if (round % 15 === 7) few.kill(round);
    }
    await until(async () => {
      const { waiting, delayed, running } = await client.counts();
      return waiting + delayed + running === 0;
    });
    for (const id of ids) {
      expect(await inbox.read(id)).toEqual([]);
      const texts: string[] = [];
      let last = '';
      for await (const event of store.read(id)) {
        if (event.type !== 'message') continue;
        last = event.source;
        if (event.source === 'user') texts.push(JSON.stringify(event.content));
      }
      expect(new Set(texts).size).toBe(60);
      expect(texts).toHaveLength(60);
      expect(last).toBe('agent');
    }
    await few.stop();
  },
);
