import { expect, test } from 'vitest';
import { inProcessRunner } from '../runner/in-process-runner.js';
import type { Runner } from '../runner/runner.js';
import { runnerContract } from './runner-contract.js';
import type { RunnerUnderTestOptions } from './runner-contract.js';

/** The rules that a runner breaks. */
async function brokenRules(
  create: (options: RunnerUnderTestOptions) => Runner,
  of: string,
): Promise<readonly string[]> {
  const runs: [string, () => Promise<void>][] = [];
  runnerContract({
    test: (name, run) => runs.push([name, run]),
    create: (options) => ({ runner: create(options) }),
  });
  const broken: string[] = [];
  for (const [name, run] of runs.filter(([name]) => name.includes(of))) await run().catch(() => broken.push(name));
  return broken;
}

test.each<[string, string, (options: RunnerUnderTestOptions) => Runner]>([
  ['has no bound', 'run at once', (options) => inProcessRunner({ ...options, maxConcurrentRuns: 9 })],
  [
    'does not wait for its runs',
    'a stop ends',
    (options) => {
      const runner = inProcessRunner(options);
      return { ...runner, stop: async () => void runner.stop() };
    },
  ],
  [
    'forgets what came before the start',
    'before the start',
    (options) => {
      const runner = inProcessRunner(options);
      return { ...runner, status: async () => ({ ...(await runner.status()), queued: 0 }) };
    },
  ],
  ['cancels nothing', 'a cancel removes', (options) => ({ ...inProcessRunner(options), cancel: async () => 1 })],
  [
    'interrupts, and keeps the request',
    'a cancel aborts',
    (options) => {
      const runner = inProcessRunner(options);
      const cancel = async (id: string) => {
        const cancelled = await runner.cancel(id);
        if (cancelled > 0) await runner.enqueue(id);
        return cancelled;
      };
      return { ...runner, cancel };
    },
  ],
  [
    'cancels all that waits',
    'a cancel removes',
    (options) => {
      const runner = inProcessRunner(options);
      const cancel = async (id: string) => {
        await runner.cancel('b');
        return runner.cancel(id);
      };
      return { ...runner, cancel };
    },
  ],
  [
    'writes to the log of one that waits for a person',
    'a cancel changes nothing',
    (options) => {
      const runner = inProcessRunner(options);
      const cancel = async (id: string) => {
        const count = await runner.cancel(id);
        await (await options.open(id)).send('Stop.');
        return count;
      };
      return { ...runner, cancel };
    },
  ],
  [
    'tells of no retry',
    'a failure is told',
    (options) => {
      const onEnd: typeof options.onEnd = (end) =>
        options.onEnd(end.type === 'failed' ? { ...end, type: 'failed', error: undefined } : end);
      return inProcessRunner({ ...options, onEnd });
    },
  ],
])('a runner that %s is caught', async (_, rule, create) => {
  expect(await brokenRules(create, rule)).toHaveLength(1);
});
