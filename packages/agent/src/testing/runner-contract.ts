import assert from 'node:assert/strict';
import type { ConversationWorkOptions } from '../runner/conversation-work.js';
import type { Runner } from '../runner/runner.js';
import { Bench, until } from './runner-bench.js';

/** The options of a runner for one test. */
export type RunnerUnderTestOptions = ConversationWorkOptions & { readonly maxConcurrentRuns: number };

/** A runner to test, with no requests. */
export interface RunnerUnderTest {
  readonly runner: Runner;
  /** Called when the test is over; the runner is stopped by then. */
  readonly dispose?: () => void | Promise<void>;
}

/** Options of {@link runnerContract}. */
export interface RunnerContractOptions {
  /** The runner's function that registers one test: of vitest, jest or `node:test`. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  readonly create: (options: RunnerUnderTestOptions) => RunnerUnderTest | Promise<RunnerUnderTest>;
}

/**
 * Registers one test for each promise of the {@link Runner} port.
 *
 * @example
 * ```ts
 * runnerContract({ test, create: (options) => ({ runner: inProcessRunner(options) }) });
 * ```
 */
export function runnerContract({ test, create }: RunnerContractOptions): void {
  for (const [name, check] of Object.entries(rules)) {
    test(`runner: ${name}`, async () => {
      const bench = new Bench();
      const { runner, dispose } = await create({
        open: (id) => bench.open(id),
        onEnd: (end) => bench.ends.push(end),
        retryMs: 20,
        maxConcurrentRuns: 2,
      });
      try {
        await check(runner, bench);
      } finally {
        bench.releaseAll();
        await runner.stop({ graceMs: 100 });
        await dispose?.();
      }
    });
  }
}

const rules: Readonly<Record<string, (runner: Runner, bench: Bench) => Promise<void>>> = {
  'a request that came before the start is served': async (runner, bench) => {
    await bench.send('a');
    await runner.enqueue('a');
    assert.deepEqual(await runner.status(), { isWorking: false, running: [], queued: 1 });
    await runner.start();
    await bench.until(() => bench.statuses('a').includes('finished'));
    await until(async () => (await runner.status()).running.length === 0);
    assert.deepEqual(await runner.status(), { isWorking: true, running: [], queued: 0 });
  },

  'a request for a conversation that is finished does nothing': async (runner, bench) => {
    await bench.send('a');
    await runner.start();
    for (const times of [1, 2]) {
      await runner.enqueue('a');
      await bench.until(() => bench.ends.length === times);
    }
    assert.equal(bench.modelCalls('a'), 1);
  },

  'a request during a run means a run afterwards, and never two at once': async (runner, bench) => {
    bench.answers.set('a', [{ toolCalls: [{ name: 'work' }] }, 'One.', 'Two.']);
    await bench.send('a');
    await runner.start();
    await runner.enqueue('a');
    await bench.until(() => bench.atWork.has('a'));
    for (let times = 0; times < 3; times++) await runner.enqueue('a');
    assert.deepEqual((await runner.status()).running, ['a']);
    bench.releaseAll();
    await bench.until(() => bench.ends.length >= 2);
    assert.equal(bench.mostAtOnce.get('a'), 1);
    await bench.send('a');
    await runner.enqueue('a');
    await bench.until(() => bench.modelCalls('a') === 3);
  },

  'no more conversations run at once than allowed, and all of them in the end': async (runner, bench) => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const id of ids) {
      bench.answers.set(id, [{ toolCalls: [{ name: 'work' }] }, 'Done.']);
      await bench.send(id);
      await runner.enqueue(id);
    }
    await runner.start();
    await bench.until(() => bench.atWork.size >= 2);
    const { running, queued } = await runner.status();
    assert.deepEqual([running.length, queued], [2, 3]);
    bench.releaseAll();
    await bench.until(() => ids.every((id) => bench.statuses(id).at(-1) === 'finished'));
    assert.ok(bench.mostInAll <= 2, `${bench.mostInAll} ran at once`);
  },

  'a run that waits for a person ends, and goes on after the yes and a request': async (runner, bench) => {
    bench.agentOptions = { confirmation: 'always' };
    bench.answers.set('a', [{ toolCalls: [{ name: 'work' }] }, 'Done.']);
    await bench.send('a');
    await runner.start();
    await runner.enqueue('a');
    await bench.until(() => bench.statuses('a').at(-1) === 'waiting-for-confirmation');
    await until(async () => (await runner.status()).running.length === 0);
    bench.releaseAll();
    assert.equal((await (await bench.open('a')).confirm()).length, 1);
    await runner.enqueue('a');
    await bench.until(() => bench.statuses('a').at(-1) === 'finished');
  },

  'a cancel aborts the run and its tool, for good, and a later request is served': async (runner, bench) => {
    bench.answers.set('a', [{ toolCalls: [{ name: 'work' }] }, 'Done.']);
    for (const id of ['a', 'b']) {
      await bench.send(id);
      await runner.enqueue(id);
    }
    await runner.start();
    await bench.until(() => bench.atWork.has('a') && bench.statuses('b').at(-1) === 'finished');
    assert.equal(await runner.cancel('a'), 1);
    await bench.until(() => bench.statuses('a').includes('paused'));
    assert.ok(bench.aborted.has('a'));
    await until(async () => (await runner.status()).running.length === 0);
    const endOf = new Map(
      bench.ends.map((end) => [end.conversationId, end.type === 'ended' ? end.outcome.status : end.type]),
    );
    // In any order.
    assert.deepEqual(
      endOf,
      new Map([
        ['a', 'paused'],
        ['b', 'finished'],
      ]),
    );
    assert.equal(bench.ends.length, 2);
    assert.equal((await runner.status()).queued, 0);
    assert.equal(await runner.cancel('a'), 0);
    await bench.send('a');
    await runner.enqueue('a');
    await bench.until(() => bench.statuses('a').at(-1) === 'finished');
  },

  'a cancel removes the requests that wait, and no others': async (runner, bench) => {
    for (const id of ['a', 'b']) {
      await bench.send(id);
      await runner.enqueue(id);
    }
    assert.equal(await runner.cancel('a'), 1);
    assert.equal((await runner.status()).queued, 1);
    await runner.start();
    await bench.until(() => bench.statuses('b').at(-1) === 'finished');
    await until(async () => (await runner.status()).running.length === 0);
    assert.deepEqual([bench.statuses('a'), bench.modelCalls('a'), (await runner.status()).queued], [[], 0, 0]);
  },

  'a cancel ends the wait for a conversation that somebody else holds': async (runner, bench) => {
    await bench.send('a');
    const writer = await bench.store.openForWriting?.('a');
    await runner.start();
    await runner.enqueue('a');
    await bench.until(() => bench.ends.some((end) => end.type === 'failed'));
    assert.equal(await runner.cancel('a'), 1);
    await until(async () => {
      const { queued, running } = await runner.status();
      return queued + running.length === 0;
    });
    await writer?.close();
    assert.deepEqual(bench.statuses('a'), []);
  },

  'a cancel changes nothing where a person is waited for, or all is done': async (runner, bench) => {
    bench.agentOptions = { confirmation: 'always' };
    bench.answers.set('a', [{ toolCalls: [{ name: 'work' }] }, 'Done.']);
    await bench.send('a');
    await runner.start();
    await runner.enqueue('a');
    bench.releaseAll();
    for (const status of ['waiting-for-confirmation', 'finished']) {
      await bench.until(() => bench.statuses('a').at(-1) === status);
      await until(async () => (await runner.status()).running.length === 0);
      const { length } = bench.events('a');
      // An engine may note the end of a run a little later.
      await until(async () => (await runner.cancel('a')) === 0);
      await bench.until(() => true);
      assert.equal(bench.events('a').length, length);
      if (status === 'finished') return;
      assert.equal((await (await bench.open('a')).confirm()).length, 1);
      await runner.enqueue('a');
    }
  },

  'a failure is told, and disturbs no other conversation': async (runner, bench) => {
    bench.answers.set('bad', [new Error('The model is broken.')]);
    for (const id of ['bad', 'good']) await bench.send(id);
    await runner.start();
    for (const id of ['bad', 'good']) await runner.enqueue(id);
    await bench.until(() => bench.ends.length === 2);
    const failure = bench.ends.find((end) => end.type === 'failed');
    assert.equal(failure?.conversationId, 'bad');
    assert.match(String(failure?.error), /The model is broken/);
    assert.equal(failure?.retryInMs, undefined);
    assert.equal(bench.statuses('good').at(-1), 'finished');
  },

  'a conversation that somebody else holds is waited for, and not touched': async (runner, bench) => {
    await bench.send('a');
    const writer = await bench.store.openForWriting?.('a');
    assert.ok(writer !== undefined);
    await bench.until(() => true);
    const before = bench.events('a').length;
    await runner.start();
    await runner.enqueue('a');
    await bench.until(() => bench.ends.filter((end) => end.type === 'failed').length >= 2);
    assert.equal(bench.events('a').length, before);
    await writer.close();
    await bench.until(() => bench.statuses('a').at(-1) === 'finished');
  },

  'a stop ends a run after its step, and the next start goes on with it': async (runner, bench) => {
    bench.answers.set('a', [{ toolCalls: [{ name: 'work' }] }, 'Done.']);
    await bench.send('a');
    await runner.start();
    await runner.enqueue('a');
    await bench.until(() => bench.atWork.has('a'));
    const stopped = runner.stop();
    bench.releaseAll();
    await stopped;
    assert.deepEqual(bench.ends, [{ type: 'handed-over', conversationId: 'a' }]);
    assert.deepEqual(bench.statuses('a'), ['running']);
    assert.equal(bench.modelCalls('a'), 1);
    assert.deepEqual(await runner.status(), { isWorking: false, running: [], queued: 1 });
    await runner.start();
    await bench.until(() => bench.statuses('a').at(-1) === 'finished');
    assert.equal(bench.modelCalls('a'), 2);
    assert.ok(bench.events('a').every(({ type }) => type !== 'pause' && type !== 'agent-error'));
  },
};
