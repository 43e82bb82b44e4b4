import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, Conversation } from '@palimpsest/agent';
import type { Event } from '@palimpsest/events';
import { scriptedLLM } from '@palimpsest/llm-adapters/testing';
import { migrate, postgresEventStore } from '@palimpsest/postgres';
import { openaiServer } from '@palimpsest/provider-servers';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { bundledProgram } from '../test-support/bundled-program.js';
import type {
  CondensingConversation,
  CondensingWorkerSetting,
  FromCondensingWorker,
} from '../test-support/condensing-worker.js';
import { dbosRunner } from './index.js';

const url = inject('postgresUrl') ?? '';

const program = url === '' ? '' : await bundledProgram('condensing-worker');

/** A promise that the test resolves. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** A process of its own that runs conversations, and what it tells. */
class Worker {
  readonly process: ChildProcess;
  readonly #told: FromCondensingWorker[] = [];

  constructor(setting: CondensingWorkerSetting) {
    this.process = fork(program, [JSON.stringify(setting)]);
    this.process.on('message', (message: FromCondensingWorker) => this.#told.push(message));
    onTestFinished(() => void this.process.kill('SIGKILL'));
  }

  works(): Promise<void> {
    return this.until(() => this.#told.some(({ type }) => type === 'works'));
  }

  /** Resolves when the conversation has ended so, to the code of its error. */
  async ends(conversationId: string, how: string): Promise<string | undefined> {
    const end = () =>
      this.#told.find((told) => told.type === 'end' && told.conversationId === conversationId && told.end === how);
    await this.until(() => end() !== undefined, how === 'failed');
    return (end() as { readonly error?: string } | undefined)?.error;
  }

  /**
   * Resolves when something is so that this worker brings about.
   *
   * @throws when it cannot any more: it has ended, or a run has failed that may not
   */
  async until(condition: () => boolean | Promise<boolean>, mayFail = false): Promise<void> {
    await until(async () => {
      if (await condition()) return true;
      const failed = this.#told.find((told) => told.type === 'end' && told.end === 'failed');
      if (failed !== undefined && !mayFail) throw new Error(`A run failed: ${JSON.stringify(failed)}`);
      if (!this.process.connected) throw new Error('The worker has ended.');
      return false;
    });
  }

  async stop(): Promise<void> {
    const exit = once(this.process, 'exit');
    this.process.send('stop');
    expect(await exit).toEqual([0, null]);
  }
}

type Request = Readonly<Record<string, unknown>> & {
  readonly messages: readonly {
    readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
  }[];
};

/** The step after the newest one that the model is shown. */
function nextStep({ messages }: Request): number {
  const newest = messages.flatMap(({ tool_calls: calls = [] }) => calls).at(-1);
  return newest === undefined ? 1 : (JSON.parse(newest.function.arguments) as { readonly step: number }).step + 1;
}

/**
 * A model that takes steps, and one that summarises.
 *
 * @param stepOf - the call that answers a step; undefined: the work is done
 * @param before - is waited for before the model answers a step; the same for the summariser and the number of its request
 */
async function setUpModels(
  stepOf: (step: number) => 'act' | 'order' | undefined,
  before: { readonly step?: (step: number) => Promise<void>; readonly summary?: (index: number) => Promise<void> },
) {
  const usage = (prompt: number, completion: number) => ({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  });
  const model = await openaiServer({
    reply: async (body) => {
      const step = nextStep(body as unknown as Request);
      await before.step?.(step);
      const tool = stepOf(step);
      const called = { name: tool, arguments: JSON.stringify({ step }) };
      const message =
        tool === undefined
          ? { content: 'All steps are taken.' }
          : { content: null, tool_calls: [{ id: `call_${step}`, type: 'function', function: called }] };
      return { message, usage: usage(1_000, 10) };
    },
  });
  const summariser = await openaiServer({
    reply: async (_, index) => {
      await before.summary?.(index);
      return { message: { content: `Summary number ${index}.` }, usage: usage(5_000, 100) };
    },
  });
  onTestFinished(async () => {
    await model.close();
    await summariser.close();
  });
  return { summariser, urls: { modelUrl: model.baseURL, summariserUrl: summariser.baseURL } };
}

/** A store and a queue. */
async function setUp() {
  const name = randomUUID();
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  await migrate(pool);
  const store = postgresEventStore({ client: pool, connect: () => pool.connect() });
  const client = dbosRunner({ url, name, open: () => Promise.reject(new Error()), onEnd: () => undefined });
  onTestFinished(async () => {
    await client.stop();
    await pool.end();
  });
  const agent = new Agent({ llm: scriptedLLM({ script: [] }), confirmation: 'always' });
  const open = (conversationId: string) => Conversation.open({ agent, store, conversationId });
  const worker = (conversations: Readonly<Record<string, CondensingConversation>>, leaseMs = 30_000) =>
    new Worker({ url, name, leaseMs, conversations });
  const ask = async (conversationId: string) => {
    await (await open(conversationId)).send('Take the steps.');
    await client.enqueue(conversationId);
  };
  const log = async (conversationId: string) => [...(await open(conversationId)).events];
  return { client, open, worker, ask, log };
}

const condensationsIn = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'condensation' ? [event] : []));

/** The calls of the agent's model, and of the condenser's, that the log says were paid. */
function callsIn(events: readonly Event[]) {
  const agent = events.flatMap((event) => (event.type === 'llm-usage' && event.purpose === 'agent' ? [event] : []));
  const condenser = condensationsIn(events).map(({ metadata = {} }) => metadata);
  const costOf = ({ costUsd }: { readonly costUsd?: unknown }) => Number(costUsd);
  const sum = (costs: readonly number[]) => costs.reduce((a, b) => a + b, 0);
  return {
    agent: agent.length,
    condenser: condenser.length,
    tokens: agent.length * 1_010 + condenser.length * 5_100,
    costUsd: sum([...agent, ...condenser].map(costOf)),
  };
}

describe.skipIf(url === '')('a condensation by a model', () => {
  test.each([
    ['frozen', 'SIGSTOP'],
    ['killed', 'SIGKILL'],
  ] as const)(
    'whose worker is %s is made by the next worker, in the background and where it is waited for: once in the log, and once in its costs',
    async (_, signal) => {
      const steps = 7;
      const late = gate();
      const held = gate();
      const { worker, ask, log } = await setUp();
      const condensing = await Promise.all(
        [true, false].map(async (background) => {
          const asked = gate();
          let isAsked = false;
          let holds = 0;
          const { summariser, urls } = await setUpModels((step) => (step <= steps ? 'act' : undefined), {
            step: async (step) => {
              // Of two requests that are under way at once, the summariser's may be the later one.
              if (step > steps) await asked.opened;
              if (!isAsked) return;
              holds++;
              await held.opened;
            },
            summary: async (index) => {
              if (index > 0) return;
              isAsked = true;
              asked.open();
              await late.opened;
            },
          });
          const isInTheMiddle = () => isAsked && (holds > 0 || !background);
          return { id: randomUUID(), summariser, isInTheMiddle, setting: { ...urls, background } };
        }),
      );
      const settings = Object.fromEntries(condensing.map(({ id, setting }) => [id, setting]));
      // Only who is frozen is waited for. A lease that a worker might miss on a slow machine would make it another test.
      const first = worker(settings, signal === 'SIGSTOP' ? 5_000 : 30_000);
      for (const { id } of condensing) await ask(id);
      await first.until(() => condensing.every(({ isInTheMiddle }) => isInTheMiddle()));
      const second = worker(settings);
      await second.works();
      first.process.kill(signal);
      held.open();
      const before = new Map<string, readonly Event[]>();
      for (const { id } of condensing) {
        await second.ends(id, 'finished');
        // The summary may have come after the end of the run: then it is put in all the same.
        await second.until(async () => condensationsIn(await log(id)).length > 0);
        before.set(id, await log(id));
      }
      late.open();
      if (signal === 'SIGSTOP') {
        first.process.kill('SIGCONT');
        for (const { id } of condensing) await first.ends(id, 'handed-over');
        await first.stop();
      }
      await second.stop();
      for (const { id, summariser, setting } of condensing) {
        const events = await log(id);
        const how = setting.background ? 'in the background' : 'waited for';
        expect(
          events.map((event) => event.id),
          how,
        ).toEqual(before.get(id)?.map((event) => event.id));
        expect(summariser.requests, how).toHaveLength(2);
        expect(
          condensationsIn(events).map(({ summary }) => summary?.match(/Summary number \d/)?.[0]),
          how,
        ).toEqual(['Summary number 1']);
        expect(callsIn(events), how).toMatchObject({ agent: steps + 1, condenser: 1 });
        expect(callsIn(events).costUsd, how).toBeCloseTo((steps + 1) * 0.000_156 + 0.000_81, 9);
      }
    },
  );

  test('that a run leaves behind when it waits for a person is kept, and the person does not wait for it', async () => {
    const late = gate();
    const steps = ['act', 'act', 'act', 'act', 'act', 'act', 'order'] as const;
    const { client, open, worker, ask, log } = await setUp();
    const { urls } = await setUpModels((step) => steps[step - 1], { summary: () => late.opened });
    const id = randomUUID();
    const one = worker({ [id]: { ...urls, background: true } });
    await ask(id);
    await one.ends(id, 'waiting-for-confirmation');
    // Nobody holds the conversation.
    expect(await (await open(id)).confirm()).toHaveLength(1);
    expect(condensationsIn(await log(id))).toEqual([]);
    late.open();
    await one.until(async () => condensationsIn(await log(id)).length > 0);
    await client.enqueue(id);
    await one.ends(id, 'finished');
    await one.stop();
    expect(callsIn(await log(id))).toMatchObject({ agent: steps.length + 1, condenser: 1 });
  });
});

test.skipIf(url === '')(
  'limits of iterations, tokens and money hold when another worker takes over, with the costs of the condenser',
  async () => {
    const died = gate();
    const heldAt = 7;
    let held = 0;
    const { worker, ask, log } = await setUp();
    const { urls } = await setUpModels(() => 'act', {
      step: async (step) => {
        if (step !== heldAt) return;
        held++;
        await died.opened;
      },
    });
    const [iterations, tokens, money] = [randomUUID(), randomUUID(), randomUUID()];
    const ids = [iterations, tokens, money];
    const setting = { ...urls, background: false };
    const settings = {
      [iterations]: { ...setting, limits: { maxIterations: 10 } },
      [tokens]: { ...setting, limits: { maxTokens: 17_000 } },
      [money]: { ...setting, limits: { maxCostUsd: 0.003 } },
    };
    const first = worker(settings);
    for (const id of ids) await ask(id);
    await first.until(() => held === ids.length);
    first.process.kill('SIGKILL');
    const before = new Map(await Promise.all(ids.map(async (id) => [id, callsIn(await log(id))] as const)));
    for (const calls of before.values()) expect(calls).toMatchObject({ agent: heldAt - 1, condenser: 1 });
    died.open();
    const second = worker(settings);
    for (const id of ids) expect(await second.ends(id, 'failed')).toBe('limit-exceeded');
    await second.stop();

    expect(callsIn(await log(iterations)).agent).toBe(10);
    for (const [id, limit, unit, aCall] of [
      [tokens, 17_000, 'tokens', 5_100],
      [money, 0.003, 'costUsd', 0.000_81],
    ] as const) {
      const used = callsIn(await log(id));
      expect(used[unit], unit).toBeGreaterThanOrEqual(limit);
      // It ended with the first call that reached the limit, whoever made it.
      expect(used[unit] - aCall, unit).toBeLessThan(limit);
      expect(used.condenser, unit).toBeGreaterThan(0);
      // Neither of the two workers alone, nor the agent's model alone, has reached it.
      expect(used[unit] - (before.get(id)?.[unit] ?? 0), unit).toBeLessThan(limit);
      expect(used[unit] - used.condenser * aCall, unit).toBeLessThan(limit);
    }
  },
);
