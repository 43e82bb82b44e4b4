import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { armsOf } from './arms.js';
import { promptSizes } from './prompt-sizes.js';
import { runLive } from './live.js';
import type { LiveOptions } from './live.js';
import { generatedTask } from './tasks/families.js';
import { notes } from './tasks/notes.js';
import { writeTask } from './tasks/folder.js';
import { readTasks } from './task-folder.js';
import { trialSchema } from './trial.js';

const gateway = path.join(import.meta.dirname, '../../test-support/live/gateway.sh');
const usage = { uncachedInputTokens: 10, cacheReadTokens: 20, cacheWriteTokens: 0, outputTokens: 1_000_000 };
/** A request that has cost a dollar. */
const receipt = { status: 200, model: 'm', usage, prices: { input: 0, cacheRead: 0, cacheWrite: 0, output: 1 } };

/** Makes a folder with one task, and returns the options of a run on it. */
async function prepared(agent: string, receipts: readonly object[] = [receipt]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'palimpsest-live-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const task = await writeTask(path.join(folder, 'tasks'), generatedTask(notes, 4, 1));
  await writeFile(path.join(folder, 'receipts.jsonl'), receipts.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const options: LiveOptions = {
    tasks: await readTasks(path.join(folder, 'tasks')),
    arms: await armsOf(['none', 'balanced']),
    trials: 1,
    seed: 1,
    agent: agent.replace('TASK', task).replace('FOLDER', folder),
    gateway: `sh '${gateway}' '${path.join(folder, 'receipts.jsonl')}'`,
    results: path.join(folder, 'results'),
    signal: new AbortController().signal,
  };
  const results = async () => {
    const text = await readFile(path.join(options.results, 'results.jsonl'), 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => trialSchema.parse(JSON.parse(line)));
  };
  return { folder, options, results };
}

const solving = "node 'TASK/solution/solve.mjs' {cwd}";

test('every task is run under every arm, in a folder of its own, and its work is checked', async () => {
  const { options, results } = await prepared(solving);
  expect(await runLive(options)).toBe('done');
  const found = await results();
  expect(found.map(({ arm }) => arm).sort()).toEqual(['balanced', 'none']);
  expect(found[0]).toMatchObject({
    task: 'notes-4-1',
    family: 'notes',
    trial: 1,
    seed: 1,
    solved: true,
    costUsd: 1,
    steps: 1,
    model: 'm',
    agent: { name: 'node' },
  });
  expect([...promptSizes(found).values()]).toEqual([30, 30]);
  expect(await readdir(path.join(options.results, found[0]?.receipts ?? ''))).toEqual(['one.jsonl']);
});

test('a run goes on behind what stands in the results, also behind half of a line', async () => {
  const { options, results } = await prepared(solving);
  await mkdir(options.results);
  const known = {
    type: 'trial',
    task: 'notes-4-1',
    family: 'notes',
    arm: 'none',
    trial: 1,
    solved: false,
    agent: { name: 'a' },
  };
  await writeFile(
    path.join(options.results, 'results.jsonl'),
    `${JSON.stringify({ ...known, costUsd: 5 })}\n{"type":"tri`,
  );
  const costs: (number | undefined)[] = [];
  expect(await runLive({ ...options, onTrial: (_, { costUsd }) => void costs.push(costUsd) })).toBe('done');
  expect(costs).toEqual([6]);
  const lines = (await readFile(path.join(options.results, 'results.jsonl'), 'utf8')).trim().split('\n');
  expect(lines.map((line) => line.slice(0, 6))).toEqual(['{"type', '{"type', '{"type']);
  await expect(results()).rejects.toThrow();
});

test('an agent that has not done its work, or ends with an error, counts as it is', async () => {
  const { options, results } = await prepared("sh -c 'exit 3'");
  await runLive(options);
  expect((await results()).map(({ solved, stopped }) => [solved, stopped])).toEqual([
    [false, 'The agent ended with status 3.'],
    [false, 'The agent ended with status 3.'],
  ]);
});

test('no trial begins when the budget is spent', async () => {
  const { options, results } = await prepared(solving);
  expect(await runLive({ ...options, budgetUsd: 1 })).toBe('budget');
  expect(await results()).toHaveLength(1);
});

const waiting = `sh -c 'sleep 1000 & echo $! > "FOLDER/pid"; wait'`;
/** Returns true for a process that is there. One that was killed may wait for its parent to be told. */
const isRunning = (pid: number): boolean =>
  !/^(?:Z.*)?$/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim());
const childOf = async (folder: string) => Number(await readFile(path.join(folder, 'pid'), 'utf8'));

test('a trial that spends more than is left is stopped with its children, and counts', async () => {
  const { folder, options, results } = await prepared(waiting, [receipt, receipt]);
  expect(await runLive({ ...options, budgetUsd: 1.5 })).toBe('budget');
  expect(await results()).toMatchObject([{ solved: false, stopped: 'budget', costUsd: 2 }]);
  const child = await childOf(folder);
  await expect.poll(() => isRunning(child), { timeout: 20_000 }).toBe(false);
});

test('a trial whose time is over is stopped and counts; one that the user ends does not', async () => {
  const { options, results } = await prepared(waiting);
  const interrupt = new AbortController();
  const run = runLive({
    ...options,
    timeoutMs: 4_000,
    signal: interrupt.signal,
    onTrial: () => interrupt.abort(),
  });
  expect(await run).toBe('interrupted');
  expect(await results()).toMatchObject([{ solved: false, stopped: 'time' }]);

  const ended = new AbortController();
  expect(await runLive({ ...options, signal: ended.signal, onCost: () => ended.abort() })).toBe('interrupted');
  expect(await results()).toHaveLength(1);
});

test('what tells nothing ends the run with a sentence', async () => {
  const { options, results } = await prepared(solving, []);
  await expect(runLive(options)).rejects.toThrow(/has asked no model through the gateway, and ended with status 0/);
  await expect(runLive({ ...options, gateway: 'no-such-gateway' })).rejects.toThrow(
    /'no-such-gateway' cannot be started/,
  );
  expect(await results()).toEqual([]);

  const free = await prepared(solving, [{ status: 200, usage }]);
  await expect(runLive({ ...free.options, budgetUsd: 1 })).rejects.toThrow(/no known cost/);
});
