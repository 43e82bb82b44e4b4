import { randomUUID } from 'node:crypto';
import { runnerContract } from '@palimpsest/agent/testing';
import { localPostgres } from '@palimpsest/postgres/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { dbosRunner } from './index.js';

const server = await localPostgres();
afterAll(() => server?.close());

const url = server?.url ?? '';
const quick = { url, pollMs: 20, sweepMs: 100, leaseMs: 600 };
const ignored = { open: () => Promise.reject(new Error('never opened')), onEnd: () => undefined };

describe.skipIf(server === undefined)('on a server', () => {
  runnerContract({
    test,
    create: (options) => ({ runner: dbosRunner({ ...quick, ...options, name: randomUUID() }) }),
  });

  test('a process that only asks makes the tables, counts, and works nothing', async () => {
    const runner = dbosRunner({ ...quick, ...ignored, name: randomUUID() });
    await runner.enqueue('a');
    await runner.enqueue('a');
    expect(await runner.status()).toEqual({ isWorking: false, running: [], queued: 2 });
    await runner.stop();
  });

  test('one runner works in a process at a time', async () => {
    const [one, two] = [1, 2].map(() => dbosRunner({ ...quick, ...ignored, name: randomUUID() }));
    await one?.start();
    await expect(two?.start()).rejects.toThrow(/DBOS is one in a process/);
    await one?.stop();
    await two?.start();
    await two?.stop();
  });

  test('a worker that cannot start says why, and leaves nothing behind', async () => {
    const nowhere = dbosRunner({ ...quick, ...ignored, url: 'postgres://nobody:x@127.0.0.1:1/none' });
    await expect(nowhere.start()).rejects.toThrow(/ECONNREFUSED/);
    const runner = dbosRunner({ ...quick, ...ignored, name: randomUUID() });
    await runner.start();
    await runner.stop();
  });
});
