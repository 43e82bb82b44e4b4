import { defineTool, EventStoreError } from '@palimpsest/events';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Database } from './database.js';
import { gate, setUp, until } from '../test-support/many.js';

describe.skipIf(inject('postgresUrl') === undefined)('places', () => {
  test('conversations that are held elsewhere keep none while they wait', async () => {
    const { store, ends, runner, ask } = setUp(() => 'Done.', { maxConcurrentRuns: 2 });
    const worker = runner();
    const held = ['held 1', 'held 2', 'held 3'];
    for (const id of held) await ask(worker, id);
    const writers = await Promise.all(held.map(async (id) => store.openForWriting?.(id)));
    await worker.start();
    await until(() => held.every((id) => ends.some((end) => end.type === 'failed' && end.conversationId === id)));
    const others = ['1', '2', '3', '4', '5'];
    for (const id of others) await ask(worker, id);
    const hasEnded = (id: string) => ends.some((end) => end.type === 'ended' && end.conversationId === id);
    await until(() => others.every(hasEnded));
    expect(held.filter(hasEnded)).toEqual([]);
    for (const writer of writers) await writer?.close();
    await until(() => held.every(hasEnded));
    await until(async () => (await worker.status()).queued === 0);
  });

  test('a request that found its conversation busy is served when that run has ended, without a wait', async () => {
    const { begun, release, script, tool } = slowStep();
    // So long that a request which is not woken is not served in this test.
    const { ends, runner, ask } = setUp(script, { retryMs: 600_000 }, { tools: [tool] });
    const worker = runner();
    await worker.start();
    await ask(worker, 'a');
    await begun;
    await worker.enqueue('a');
    await until(async () => (await worker.counts()).delayed === 1);
    for (let times = 0; times < 3; times++) await worker.enqueue('a');
    expect(await worker.counts()).toMatchObject({ waiting: 0, delayed: 1, running: 1 });
    release();
    await until(() => ends.filter(({ type }) => type === 'ended').length === 2);
  });

  test('a log that cannot be read is no reason to try again, and a store that fails is given up in the end', async () => {
    const { ends, runner } = setUp(() => 'Done.', { maxStoreRetries: 2 });
    const unreadable = new EventStoreError('It is too large.', { isRetryable: false });
    const worker = runner({
      open: (id) => Promise.reject(id === 'unreadable' ? unreadable : new EventStoreError('It is gone.')),
    });
    for (const id of ['unreadable', 'gone']) await worker.enqueue(id);
    await worker.start();
    await until(async () => (await worker.deadLetters()).length === 1);
    const triesOf = (id: string) =>
      ends.filter((end) => end.conversationId === id).map((end) => 'retryInMs' in end && end.retryInMs !== undefined);
    expect(triesOf('unreadable')).toEqual([false]);
    expect(triesOf('gone')).toEqual([true, true, false]);
    const [letter] = await worker.deadLetters();
    expect(letter).toMatchObject({ conversationId: 'gone', reason: 'store' });
    expect(letter?.explanation).toMatch(/^It failed 3 times in a row since .*It is gone/);
    await until(async () => (await worker.status()).queued === 0);
  });

  test('a worker that has lost its request to another one notes nothing of how it failed', async () => {
    const { name, ends, runner } = setUp(() => 'Done.', { maxStoreRetries: 1, sweepMs: 600_000 });
    const [begun, lost] = [gate(), gate()];
    const worker = runner({
      open: async () => {
        begun.open();
        await lost.opened;
        throw new EventStoreError('It is gone.');
      },
    });
    await worker.enqueue('a');
    await worker.start();
    await begun.opened;
    const database = new Database(inject('postgresUrl') ?? '', 30_000);
    onTestFinished(() => database.close());
    const ofQueue = (statement: string) => database.query(statement, [name]);
    await ofQueue(`update dbos.workflow_status set executor_id = 'another worker' where queue_name = $1`);
    lost.open();
    await until(() => ends.some(({ type }) => type === 'handed-over'));
    expect(await ofQueue('select from palimpsest_dbos.failures where queue = $1')).toEqual([]);
    expect(await worker.deadLetters()).toEqual([]);
    expect(await worker.counts()).toMatchObject({ running: 1 });
  });

  test('a run that takes longer than maxRunMs is interrupted, and its place is free', async () => {
    const never = new Promise<string>(() => undefined);
    const { ends, runner, ask } = setUp(() => ({ text: 'Done.', until: never }), {
      maxConcurrentRuns: 1,
      maxRunMs: 50,
    });
    const worker = runner();
    await worker.start();
    for (const id of ['a', 'b']) await ask(worker, id);
    // One that could not even begin in that time is tried again.
    const ended = () => ends.filter(({ type }) => type === 'ended');
    await until(() => ended().length === 2);
    expect(ended()).toMatchObject([1, 2].map(() => ({ type: 'ended', outcome: { status: 'paused' } })));
  });
});

describe.skipIf(inject('postgresUrl') === undefined)('a stop', () => {
  test('hands each run over when its step has ended: a slow tool holds up no other conversation', async () => {
    const slow = slowStep('slow');
    const quick = slowStep('quick');
    const { ends, runner, ask } = setUp(
      ({ messages }, index) =>
        JSON.stringify(messages).includes('slowly') ? slow.script(undefined, index) : quick.script(undefined, index),
      {},
      { tools: [slow.tool, quick.tool] },
    );
    const [one, other] = [runner(), runner()];
    await one.start();
    await ask(one, 'a', 'Work slowly.');
    await ask(one, 'b', 'Work quickly.');
    await Promise.all([slow.begun, quick.begun]);
    const stopped = one.stop();
    await other.start();
    quick.release();
    await until(() => ends.some((end) => end.type === 'ended' && end.conversationId === 'b'));
    expect(ends.map(({ conversationId }) => conversationId)).toEqual(['b', 'b']);
    slow.release();
    await stopped;
    await until(() => ends.some((end) => end.type === 'ended' && end.conversationId === 'a'));
  });
});

/** A model that calls a tool once, which waits for the test. */
function slowStep(name = 'work') {
  const [beginning, end] = [gate(), gate()];
  const tool = defineTool({
    name,
    description: 'Works until the test lets it end.',
    input: z.object({}),
    execute: async () => {
      beginning.open();
      await end.opened;
      return 'It is done.';
    },
  });
  let calls = 0;
  const script = (_: unknown, __: number) => (calls++ === 0 ? { toolCalls: [{ name }] } : 'Done.');
  return { begun: beginning.opened, release: end.open, tool, script };
}
