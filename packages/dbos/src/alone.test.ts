import { randomUUID } from 'node:crypto';
import { defineTool } from '@palimpsest/events';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { gate, setUp, until } from '../test-support/many.js';
import { Database } from './database.js';
import { keyOf } from './names.js';
import { Troubles } from './troubles.js';
import { WorkerLock } from './worker-lock.js';

/** A conversation that has ended two workers, beside one that goes on until the test ends it. */
async function setUpSuspect() {
  const [inStep, endOfStep] = [gate(), gate()];
  let isOver = false;
  let isSlow = false;
  const quick = defineTool({
    name: 'quick',
    description: 'Works.',
    input: z.object({}),
    execute: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return `It is done at ${performance.now()}.`;
    },
  });
  const slow = defineTool({
    name: 'slow',
    description: 'Works until the test lets it end.',
    input: z.object({}),
    execute: async () => {
      isSlow = true;
      inStep.open();
      await endOfStep.opened;
      return 'It is done.';
    },
  });
  const handedOver = (id: string): boolean =>
    world.ends.some((end) => end.type === 'handed-over' && end.conversationId === id);
  const world = setUp(
    ({ messages }: { readonly messages: readonly { readonly role: string; readonly content?: unknown }[] }) => {
      if (JSON.stringify(messages).includes('Go on.')) return isOver ? 'Done.' : { toolCalls: [{ name: 'quick' }] };
      if (!messages.some(({ role }) => role === 'tool')) return { toolCalls: [{ name: 'quick' }] };
      return isSlow ? 'Done.' : { toolCalls: [{ name: 'slow' }] };
    },
    { maxConcurrentRuns: 2 },
    { tools: [quick, slow] },
  );
  const database = new Database(inject('postgresUrl') ?? '', 30_000);
  onTestFinished(() => database.close());
  const troubles = new Troubles(database, world.name);
  for (const worker of ['one', 'two']) await troubles.died(keyOf('suspect'), worker);
  const worker = world.runner();
  await worker.start();
  const ended = (id: string) => world.ends.some((end) => end.type === 'ended' && end.conversationId === id);
  return { ...world, database, troubles, worker, inStep, endOfStep, ended, handedOver, end: () => (isOver = true) };
}

describe.skipIf(inject('postgresUrl') === undefined)('a conversation that runs with nobody beside it', () => {
  test('waits for no other run to end, and is alone until its first result', async () => {
    const { worker, ask, inStep, endOfStep, ended, handedOver, end } = await setUpSuspect();
    await ask(worker, 'long', 'Go on.');
    await until(async () => (await worker.status()).running.includes('long'));
    await ask(worker, 'suspect', 'Work.');
    await inStep.opened;
    expect(handedOver('long')).toBe(true);
    // It has got further than where its workers died, so it is among the others again.
    await until(async () => (await worker.status()).running.length === 2);
    expect(ended('suspect')).toBe(false);
    endOfStep.open();
    await until(() => ended('suspect'));
    end();
    await until(() => ended('long'));
    expect(await worker.deadLetters()).toEqual([]);
  });

  test('holds up no other conversation where a step beside it takes long', async () => {
    const { worker, ask, inStep, endOfStep, ended, troubles } = await setUpSuspect();
    for (const other of ['one', 'two'])
      await troubles.hasResult('suspect').then(() => troubles.died(keyOf('other'), other));
    // In a step until the test lets it end: no suspect any more.
    await ask(worker, 'suspect', 'Work.');
    await inStep.opened;
    await ask(worker, 'other', 'Work.');
    // Before, while and after the worker makes room for the other one.
    for (const innocent of Array.from({ length: 12 }, (_, index) => `innocent ${index}`)) {
      await ask(worker, innocent, 'Work.');
      await until(() => ended(innocent));
    }
    expect(ended('suspect')).toBe(false);
    endOfStep.open();
    await until(() => ended('suspect') && ended('other'));
  });

  test('has its turn in a session that its worker knows: none is won while one is opened', async () => {
    const { database } = await setUpSuspect();
    const opening = gate();
    const asked = gate();
    const connect = async () => {
      asked.open();
      await opening.opened;
      return database.connect();
    };
    const lock = new WorkerLock(randomUUID(), connect, 30_000);
    onTestFinished(() => lock.giveUp());
    const client = { query: async (text: string) => ({ rows: await database.query(text, []) }) };
    const held = lock.hold(client);
    await asked.opened;
    const turn = randomUUID();
    expect(await lock.tryTurn(turn)).toBe(false);
    opening.open();
    expect(await held).toBe(true);
    expect(await lock.tryTurn(turn)).toBe(true);
  });
});
