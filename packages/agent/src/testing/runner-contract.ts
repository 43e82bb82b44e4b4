import assert from 'node:assert/strict';
import { defineTool, memoryEventStore } from '@palimpsest/events';
import type { Event } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import type { ScriptedAnswer } from '@palimpsest/llm-adapters/testing';
import { z } from 'zod';
import { Agent } from '../agent.js';
import type { AgentOptions } from '../agent-options.js';
import { Conversation } from '../conversation.js';
import type { ConversationWorkOptions } from '../runner/conversation-work.js';
import type { RunEnd, Runner } from '../runner/runner.js';

/** What a runner is made with for one test. */
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

/** Conversations of one test: their models, a tool that works until it is released, and what happened. */
class Bench {
  readonly store = memoryEventStore();
  readonly ends: RunEnd[] = [];
  readonly answers = new Map<string, readonly ScriptedAnswer[]>();
  /** The conversations whose tool works now. */
  readonly atWork = new Map<string, () => void>();
  readonly mostAtOnce = new Map<string, number>();
  mostInAll = 0;
  agentOptions: Partial<AgentOptions> = {};
  readonly #calls = new Map<string, number>();
  readonly #events = new Map<string, Event[]>();
  #isReleased = false;

  async open(conversationId: string): Promise<Conversation> {
    const agent = new Agent({
      ...this.agentOptions,
      llm: this.#model(conversationId),
      tools: [this.#tool(conversationId)],
    });
    return Conversation.open({ agent, store: this.store, conversationId });
  }

  async send(conversationId: string): Promise<void> {
    await (await this.open(conversationId)).send('Go.');
    if (this.#events.has(conversationId)) return;
    this.#events.set(conversationId, []);
  }

  modelCalls(conversationId: string): number {
    return this.#calls.get(conversationId) ?? 0;
  }

  events(conversationId: string): readonly Event[] {
    return this.#events.get(conversationId) ?? [];
  }

  /** The statuses that the log has, oldest first. */
  statuses(conversationId: string): readonly unknown[] {
    return this.events(conversationId).flatMap((event) =>
      event.type === 'conversation-state-update' && event.key === 'status' ? [event.value] : [],
    );
  }

  /** Resolves when the condition holds; the logs are read before each look. */
  async until(condition: () => boolean): Promise<void> {
    await until(async () => {
      for (const [id, events] of this.#events) {
        for await (const event of this.store.read(id, { from: events.length })) events.push(event);
      }
      return condition();
    });
  }

  releaseAll(): void {
    this.#isReleased = true;
    for (const release of this.atWork.values()) release();
  }

  #model(conversationId: string) {
    return scriptedLLM({
      idPrefix: `${conversationId}-${this.modelCalls(conversationId)}`,
      script: () => {
        const index = this.modelCalls(conversationId);
        this.#calls.set(conversationId, index + 1);
        return this.answers.get(conversationId)?.[index] ?? 'Done.';
      },
    });
  }

  #tool(conversationId: string) {
    return defineTool({
      name: 'work',
      description: 'Works.',
      input: z.object({}),
      execute: async () => {
        if (!this.#isReleased) {
          const atOnce = (this.atWork.has(conversationId) ? 1 : 0) + 1;
          this.mostAtOnce.set(conversationId, Math.max(this.mostAtOnce.get(conversationId) ?? 0, atOnce));
          await new Promise<void>((release) => {
            this.atWork.set(conversationId, release);
            this.mostInAll = Math.max(this.mostInAll, this.atWork.size);
          });
          this.atWork.delete(conversationId);
        }
        return 'worked';
      },
    });
  }
}

/** @throws when it takes longer than a minute. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 6_000; look++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('It did not come to pass within a minute.');
}
