import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { setUp, until } from '../test-support/many.js';
import { dbosRunner } from './index.js';

const url = inject('postgresUrl') ?? '';

/** A database of its own, and a role in it that may make nothing. */
async function newDatabase() {
  const name = `tables_${randomUUID().replaceAll('-', '')}`;
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  await server.query(`create database ${name}`);
  await server.query(`create role ${name} login password 'worker'`);
  const [owner, worker] = [new URL(url), new URL(url)];
  owner.pathname = worker.pathname = name;
  [worker.username, worker.password] = [name, 'worker'];
  const database = new pg.Client({ connectionString: owner.href });
  await database.connect();
  onTestFinished(async () => {
    await database.end();
    await server.query(`drop database ${name} with (force)`);
    await server.query(`drop role ${name}`);
    await server.end();
  });
  return { owner: owner.href, worker: worker.href, role: name, database };
}

function runnerOn(database: string) {
  const runner = dbosRunner({ url: database, open: () => Promise.reject(new Error()), onEnd: () => undefined });
  onTestFinished(() => runner.stop());
  return runner;
}

describe.skipIf(url === '')('the tables', () => {
  test('a worker starts under a role that may make none, when they are made', async () => {
    const { owner, worker, role, database } = await newDatabase();
    await expect(runnerOn(worker).start()).rejects.toThrow(/may not use them.*palimpsest-dbos migrate/s);
    await runnerOn(owner).counts();
    for (const schema of ['dbos', 'palimpsest_dbos']) {
      await database.query(`grant usage on schema ${schema} to ${role}`);
      await database.query(`grant select, insert, update, delete on all tables in schema ${schema} to ${role}`);
    }
    const { ends, runner, ask } = setUp(() => 'Done.', { url: worker });
    const started = runner();
    await started.start();
    await ask(started, 'a');
    await until(() => ends.some(({ type }) => type === 'ended'));
    await until(async () => (await started.status()).queued === 0);
  });

  test('newer ones are refused', async () => {
    const { owner, database } = await newDatabase();
    await runnerOn(owner).counts();
    await database.query('insert into palimpsest_dbos.version values (2)');
    await expect(runnerOn(owner).start()).rejects.toMatchObject({
      name: 'EventStoreError',
      isRetryable: false,
      message: expect.stringMatching(/are of version 2, .* knows 1\. Update the package/) as string,
    });
  });
});
